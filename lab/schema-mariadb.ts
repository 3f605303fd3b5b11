/** The database `inventory`, statement by statement. `written` (the ledger) and `change_numbers` are not captured. */
export const MARIADB_SCHEMA: readonly string[] = [
  "CREATE DATABASE IF NOT EXISTS inventory CHARACTER SET utf8mb4",
  "CREATE TABLE IF NOT EXISTS inventory.products(id bigint PRIMARY KEY, change_no bigint NOT NULL, sku varchar(64) NOT NULL, name varchar(200), qty int NOT NULL DEFAULT 0, price decimal(10,2), updated_at timestamp DEFAULT current_timestamp ON UPDATE current_timestamp)",
  "CREATE TABLE IF NOT EXISTS inventory.stock_moves(id bigint PRIMARY KEY, change_no bigint NOT NULL, product_id int NOT NULL, delta int NOT NULL, reason enum('sale','return','count'), at datetime(3) DEFAULT current_timestamp(3))",
  "CREATE TABLE IF NOT EXISTS inventory.log_nopk(change_no bigint NOT NULL, msg varchar(100), at datetime(3) DEFAULT current_timestamp(3), INDEX (change_no))",
  "CREATE TABLE IF NOT EXISTS inventory.debezium_signal(id varchar(64) PRIMARY KEY, type varchar(32) NOT NULL, data varchar(2048))",
  "CREATE TABLE IF NOT EXISTS inventory.not_captured(id int PRIMARY KEY, v varchar(10))",
  "CREATE TABLE IF NOT EXISTS inventory.written(change_no bigint, table_name varchar(64) NOT NULL, op char(1) NOT NULL, id bigint, row_no bigint, PRIMARY KEY (change_no, op))",
  "INSERT IGNORE INTO inventory.products(id, change_no, sku, name, qty, price) SELECT seq, 0, CONCAT('SKU-', seq), CONCAT('Product ', seq), seq, seq * 1.25 FROM inventory.seq_1_to_200",
  "INSERT IGNORE INTO inventory.stock_moves(id, change_no, product_id, delta, reason) SELECT seq, 0, 1 + seq % 200, 1, 'count' FROM inventory.seq_1_to_2000",
  "INSERT INTO inventory.log_nopk(change_no, msg) SELECT 0, CONCAT('seed ', seq) FROM inventory.seq_1_to_10",
  // Last: its row tells that all of this is done.
  "CREATE TABLE IF NOT EXISTS inventory.change_numbers(next bigint NOT NULL)",
  "INSERT INTO inventory.change_numbers VALUES (100001)",
];
