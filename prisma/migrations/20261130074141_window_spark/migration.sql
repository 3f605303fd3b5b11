-- CreateTable
CREATE TABLE "window_spark" (
    "cluster" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "series" INTEGER[],
    "most" BIGINT[],

    CONSTRAINT "window_spark_pkey" PRIMARY KEY ("cluster","at")
);
