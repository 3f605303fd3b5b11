-- CreateIndex
CREATE INDEX "replay_cluster_topic_partition_first_offset_idx" ON "replay"("cluster", "topic", "partition", "first_offset");
