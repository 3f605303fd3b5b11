-- CreateTable
CREATE TABLE "scan_group" (
    "cluster" TEXT NOT NULL,
    "secret" BYTEA NOT NULL,
    "group_id" TEXT NOT NULL,

    CONSTRAINT "scan_group_pkey" PRIMARY KEY ("cluster")
);

-- CreateTable
CREATE TABLE "scan_partition" (
    "cluster" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "partition" INTEGER NOT NULL,
    "topic_id" TEXT,
    "from_offset" BIGINT NOT NULL,
    "next_offset" BIGINT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "samples" BYTEA NOT NULL,
    "saved_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "scan_partition_pkey" PRIMARY KEY ("cluster","topic","partition")
);

-- CreateTable
CREATE TABLE "scan_topic" (
    "cluster" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "result" JSON NOT NULL,

    CONSTRAINT "scan_topic_pkey" PRIMARY KEY ("cluster","topic")
);
