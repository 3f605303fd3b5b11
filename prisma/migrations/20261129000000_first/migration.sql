-- CreateTable
CREATE TABLE "cluster" (
    "name" TEXT NOT NULL,
    "has_brokers" BOOLEAN NOT NULL,
    "failing_since" TIMESTAMPTZ(3),
    "judged_at" TIMESTAMPTZ(3),
    "verdicts" JSON,
    "verdicts_digest" TEXT,

    CONSTRAINT "cluster_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "cluster_observation" (
    "cluster" TEXT NOT NULL,
    "part" TEXT NOT NULL,
    "value" JSON,
    "digest" TEXT,
    "true_at" TIMESTAMPTZ(3),
    "since" TIMESTAMPTZ(3),
    "not_before" TIMESTAMPTZ(3),
    "tried_at" TIMESTAMPTZ(3) NOT NULL,
    "failure" JSON,

    CONSTRAINT "cluster_observation_pkey" PRIMARY KEY ("cluster","part")
);

-- CreateTable
CREATE TABLE "connector" (
    "cluster" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "missing_since" TIMESTAMPTZ(3),
    "times" JSON NOT NULL,
    "judged_at" TIMESTAMPTZ(3),
    "verdicts" JSON,
    "verdicts_digest" TEXT,

    CONSTRAINT "connector_pkey" PRIMARY KEY ("cluster","name")
);

-- CreateTable
CREATE TABLE "connector_observation" (
    "cluster" TEXT NOT NULL,
    "connector" TEXT NOT NULL,
    "part" TEXT NOT NULL,
    "value" JSON,
    "digest" TEXT,
    "true_at" TIMESTAMPTZ(3),
    "since" TIMESTAMPTZ(3),
    "not_before" TIMESTAMPTZ(3),
    "tried_at" TIMESTAMPTZ(3) NOT NULL,
    "failure" JSON,

    CONSTRAINT "connector_observation_pkey" PRIMARY KEY ("cluster","connector","part")
);

-- CreateTable
CREATE TABLE "finding" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "cluster" TEXT NOT NULL,
    "connector" TEXT NOT NULL DEFAULT '',
    "slug" TEXT NOT NULL,
    "verdict" JSON NOT NULL,
    "opened_at" TIMESTAMPTZ(3) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3) NOT NULL,
    "unconfirmed_why" TEXT,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "finding_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "loop" (
    "process" TEXT NOT NULL,
    "cluster" TEXT NOT NULL DEFAULT '',
    "name" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "next_at" TIMESTAMPTZ(3),
    "failure" JSON,
    "runs" INTEGER NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "loop_pkey" PRIMARY KEY ("process","cluster","name")
);

-- CreateTable
CREATE TABLE "beat" (
    "kind" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "version" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "beat_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "beat_pkey" PRIMARY KEY ("kind","pid","started_at")
);

-- CreateIndex
CREATE INDEX "finding_closed_at_idx" ON "finding"("closed_at");

-- CreateIndex
CREATE INDEX "finding_cluster_connector_idx" ON "finding"("cluster", "connector");

-- AddForeignKey
ALTER TABLE "cluster_observation" ADD CONSTRAINT "cluster_observation_cluster_fkey" FOREIGN KEY ("cluster") REFERENCES "cluster"("name") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "connector" ADD CONSTRAINT "connector_cluster_fkey" FOREIGN KEY ("cluster") REFERENCES "cluster"("name") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "connector_observation" ADD CONSTRAINT "connector_observation_cluster_connector_fkey" FOREIGN KEY ("cluster", "connector") REFERENCES "connector"("cluster", "name") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand: one open case for a subject and a check, whoever opens it.
CREATE UNIQUE INDEX "finding_open_key" ON "finding"("cluster", "connector", "slug") WHERE "closed_at" IS NULL;

-- By hand: rows whose times change every few seconds keep their values out of line, so that a touch does not copy them,
-- and leave room on their page, so that it touches no index.
ALTER TABLE "connector_observation" SET (toast_tuple_target = 128, fillfactor = 70);
ALTER TABLE "connector" SET (toast_tuple_target = 128, fillfactor = 70);
ALTER TABLE "finding" SET (toast_tuple_target = 128, fillfactor = 70);
