-- CreateTable
CREATE TABLE "offset_commit" (
    "cluster" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "kafka_partition" INTEGER NOT NULL,
    "kafka_offset" BIGINT NOT NULL,
    "connector" TEXT NOT NULL,
    "partition" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "offset" JSON,

    CONSTRAINT "offset_commit_pkey" PRIMARY KEY ("cluster","topic","kafka_partition","kafka_offset")
);

-- CreateIndex
CREATE INDEX "offset_commit_cluster_connector_partition_at_idx" ON "offset_commit"("cluster", "connector", "partition", "at");

-- CreateIndex
CREATE INDEX "offset_commit_at_idx" ON "offset_commit"("at");

-- By hand: as many rows go as come, a few seconds' worth at a time.
ALTER TABLE "offset_commit" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
