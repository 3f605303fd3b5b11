-- CreateTable
CREATE TABLE "window_series" (
    "id" SERIAL NOT NULL,
    "cluster" TEXT NOT NULL,
    "connector" TEXT NOT NULL,

    CONSTRAINT "window_series_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "window_point" (
    "at" TIMESTAMPTZ(3) NOT NULL,
    "produced" BIGINT,
    "events" BIGINT,
    "low" BIGINT,
    "high" BIGINT,
    "committed_at" TIMESTAMPTZ(3),
    "series" INTEGER NOT NULL,
    "by" SMALLINT,

    CONSTRAINT "window_point_pkey" PRIMARY KEY ("series","at")
) PARTITION BY RANGE ("at");

-- CreateTable
CREATE TABLE "window_minute" (
    "at" TIMESTAMPTZ(3) NOT NULL,
    "most_at" TIMESTAMPTZ(3) NOT NULL,
    "sum" BIGINT NOT NULL,
    "most" BIGINT NOT NULL,
    "least" BIGINT NOT NULL,
    "produced" BIGINT NOT NULL,
    "series" INTEGER NOT NULL,
    "produced_ms" INTEGER NOT NULL,
    "known" INTEGER NOT NULL,
    "polls" INTEGER NOT NULL,
    "commits" INTEGER NOT NULL,
    "histogram" JSON NOT NULL,
    "dial" JSON NOT NULL,

    CONSTRAINT "window_minute_pkey" PRIMARY KEY ("series","at")
) PARTITION BY RANGE ("at");

-- CreateTable
CREATE TABLE "window_hour" (
    "at" TIMESTAMPTZ(3) NOT NULL,
    "most_at" TIMESTAMPTZ(3) NOT NULL,
    "sum" BIGINT NOT NULL,
    "most" BIGINT NOT NULL,
    "least" BIGINT NOT NULL,
    "produced" BIGINT NOT NULL,
    "series" INTEGER NOT NULL,
    "produced_ms" INTEGER NOT NULL,
    "known" INTEGER NOT NULL,
    "polls" INTEGER NOT NULL,
    "commits" INTEGER NOT NULL,
    "histogram" JSON NOT NULL,
    "dial" JSON NOT NULL,

    CONSTRAINT "window_hour_pkey" PRIMARY KEY ("series","at")
) PARTITION BY RANGE ("at");

-- CreateTable
CREATE TABLE "restart" (
    "cluster" TEXT NOT NULL,
    "connector" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "state" TEXT NOT NULL,
    "value" JSON NOT NULL,

    CONSTRAINT "restart_pkey" PRIMARY KEY ("cluster","connector","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "window_series_cluster_connector_key" ON "window_series"("cluster", "connector");

-- CreateIndex
CREATE INDEX "restart_cluster_connector_at_idx" ON "restart"("cluster", "connector", "at");

-- By hand: the tables of series are partitioned by time (above). What fits no partition lies in these.
CREATE TABLE "window_point_default" PARTITION OF "window_point" DEFAULT;
CREATE TABLE "window_minute_default" PARTITION OF "window_minute" DEFAULT;
CREATE TABLE "window_hour_default" PARTITION OF "window_hour" DEFAULT;

-- By hand: the few that are still being measured, among the restarts of a year.
CREATE INDEX "restart_measuring_idx" ON "restart"("cluster") WHERE "state" = 'measuring';
