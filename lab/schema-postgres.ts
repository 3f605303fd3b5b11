/**
 * The database `shop`. `written` (the ledger) and `change_numbers` are not captured. Replica identity is FULL where the
 * writer writes, so that a DELETE's event says which number the row had.
 */
export function postgresSchema(): string {
  return `BEGIN;
SET ROLE cdc;
CREATE TABLE public.orders(id bigint PRIMARY KEY, change_no bigint NOT NULL, customer_id int NOT NULL, status text NOT NULL, amount numeric(12,2) NOT NULL, note text, updated_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE public.order_lines(id bigint PRIMARY KEY, change_no bigint NOT NULL, product text NOT NULL, quantity int NOT NULL, price numeric(12,2) NOT NULL);
CREATE TABLE public.customers(id bigint PRIMARY KEY, change_no bigint NOT NULL, name text NOT NULL, email text);
CREATE TABLE public.audit_nopk(change_no bigint NOT NULL, who text, what text, at timestamptz NOT NULL DEFAULT now());
CREATE INDEX ON public.audit_nopk(change_no);
CREATE TABLE public.debezium_signal(id varchar(64) PRIMARY KEY, type varchar(32) NOT NULL, data text);
CREATE TABLE public.debezium_heartbeat(id int PRIMARY KEY, ts timestamptz);
CREATE TABLE public.not_captured(id int PRIMARY KEY, v text);
CREATE TABLE public.written(change_no bigint, table_name text NOT NULL, op char(1) NOT NULL, id bigint, row_no bigint, PRIMARY KEY (change_no, op));
CREATE TABLE public.change_numbers(next bigint NOT NULL);
ALTER TABLE public.orders REPLICA IDENTITY FULL;
ALTER TABLE public.order_lines REPLICA IDENTITY FULL;
ALTER TABLE public.customers REPLICA IDENTITY FULL;
ALTER TABLE public.audit_nopk REPLICA IDENTITY FULL;
INSERT INTO public.change_numbers VALUES (100001);
INSERT INTO public.debezium_heartbeat VALUES (1, now());
INSERT INTO public.customers SELECT g, 0, 'Customer ' || g, 'customer' || g || '@example.com' FROM generate_series(1, 100) g;
INSERT INTO public.orders(id, change_no, customer_id, status, amount, note) SELECT g, 0, 1 + g % 100, 'NEW', g * 1.5, 'seed ' || g FROM generate_series(1, 1000) g;
INSERT INTO public.order_lines SELECT g, 0, 'SKU-' || g % 200, 1 + g % 5, g * 0.75 FROM generate_series(1, 2000) g;
INSERT INTO public.audit_nopk(change_no, who, what) SELECT 0, 'user' || g, 'login' FROM generate_series(1, 10) g;
INSERT INTO public.not_captured SELECT g, 'x' FROM generate_series(1, 10) g;
COMMIT;`;
}
