-- CreateTable
CREATE TABLE "replay" (
    "cluster" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "connector" TEXT,
    "topic" TEXT NOT NULL,
    "topic_id" TEXT,
    "partition" INTEGER NOT NULL,
    "first_offset" BIGINT NOT NULL,
    "last_offset" BIGINT NOT NULL,
    "count" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "value" JSON NOT NULL,

    CONSTRAINT "replay_pkey" PRIMARY KEY ("cluster","id")
);

-- CreateTable
CREATE TABLE "measured_partition" (
    "cluster" TEXT NOT NULL,
    "connector" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "partition" INTEGER NOT NULL,
    "topic_id" TEXT,
    "from_offset" BIGINT NOT NULL,
    "to_offset" BIGINT NOT NULL,
    "from_at" TIMESTAMPTZ(3),
    "to_at" TIMESTAMPTZ(3),
    "carried" JSON,
    "found" JSON NOT NULL,

    CONSTRAINT "measured_partition_pkey" PRIMARY KEY ("cluster","connector","topic","partition")
);

-- CreateTable
CREATE TABLE "measurement" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "cluster" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "from_at" TIMESTAMPTZ(3),
    "to_at" TIMESTAMPTZ(3),
    "asked_at" TIMESTAMPTZ(3) NOT NULL,
    "state" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "done" BIGINT NOT NULL DEFAULT 0,
    "total" BIGINT,
    "bytes_read" BIGINT NOT NULL DEFAULT 0,
    "failure" JSON,
    "result" JSON,
    "replays" INTEGER,
    "duplicates" BIGINT,
    "owner" TEXT,
    "beat_at" TIMESTAMPTZ(3),
    "begun" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "measurement_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "replay_cluster_connector_at_idx" ON "replay"("cluster", "connector", "at");

-- CreateIndex
CREATE INDEX "replay_cluster_topic_at_idx" ON "replay"("cluster", "topic", "at");

-- CreateIndex
CREATE INDEX "replay_at_idx" ON "replay"("at");

-- CreateIndex
CREATE INDEX "measurement_asked_at_idx" ON "measurement"("asked_at");

-- AddForeignKey
ALTER TABLE "measured_partition" ADD CONSTRAINT "measured_partition_cluster_connector_fkey" FOREIGN KEY ("cluster", "connector") REFERENCES "connector"("cluster", "name") ON DELETE CASCADE ON UPDATE CASCADE;

-- By hand: the few that wait or run, among the measurements of a month.
CREATE INDEX "measurement_open_idx" ON "measurement"("cluster", "asked_at") WHERE "state" IN ('waiting', 'running');
