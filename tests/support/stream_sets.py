"""Sets of queries over one set of tables, as shops and auctions have them, and their changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class QuerySet:
    """Tables with their first rows, queries over them, and windows of changes in SQL."""

    tables: Sequence[str]
    start: Sequence[str]
    queries: dict[str, str]
    windows: Sequence[Sequence[str]]


_BIDS: Final = (
    "INSERT INTO bid SELECT {first} + i, i % 12, (i * 7) % 9, 100 + (i * 37) % 400, "
    "TIMESTAMP '2026-01-01 00:00:00' + to_seconds((i * 13) % 90) FROM range({count}) r(i)"
)

AUCTIONS: Final = QuerySet(
    tables=(
        "CREATE TABLE person (id BIGINT, name VARCHAR, state VARCHAR)",
        "CREATE TABLE auction (id BIGINT, seller BIGINT, category INTEGER, reserve BIGINT)",
        "CREATE TABLE bid (id INT8, auction INT8, bidder INT8, price INT8, placed TIMESTAMP)",
    ),
    start=(
        (
            "INSERT INTO person SELECT i, 'p' || i, CASE i % 3 WHEN 0 THEN 'OR' WHEN 1 THEN 'ID' "
            "END FROM range(9) r(i)"
        ),
        "INSERT INTO auction SELECT i, i % 7, i % 4, 200 + i FROM range(12) r(i)",
        _BIDS.format(first=0, count=60),
    ),
    queries={
        "currency": "select auction, bidder, price * 89 / 100 as price, placed from bid",
        "selection": "select auction, price from bid where auction in (1, 3, 5)",
        "local_items": "select p.name, p.state, a.id from auction a join person p "
        "on a.seller = p.id where a.category = 1 or p.state in ('OR', 'ID')",
        "closing_prices": "select a.category, avg(b.top) as price from auction a join "
        "(select auction, max(price) as top from bid group by auction) b on a.id = b.auction "
        "where b.top >= a.reserve group by a.category",
        "hot_items": "select auction, n from (select auction, count(*) as n from bid "
        "group by auction) c where n >= (select max(m) from "
        "(select count(*) as m from bid group by auction) d)",
        "seller_average": "select seller, avg(price) over (partition by seller order by id rows "
        "between 10 preceding and current row) as mean from (select a.seller, a.id, "
        "max(b.price) as price from auction a join bid b on b.auction = a.id group by a.seller, "
        "a.id) w",
        "highest": "select b.auction, b.price, b.bidder from bid b join (select "
        "date_trunc('minute', placed) as slot, max(price) as top from bid group by 1) m "
        "on b.price = m.top and date_trunc('minute', b.placed) = m.slot",
        "new_sellers": "select p.id, p.name, count(a.id) as auctions from person p left join "
        "auction a on a.seller = p.id group by p.id, p.name",
        "winning_bids": "select auction, id, price from (select auction, id, price, row_number() "
        "over (partition by auction order by price desc, id) as place from bid) r where place = 1",
        "top_bidders": "select bidder, sum(price) as spent, count(distinct auction) as auctions "
        "from bid group by bidder order by spent desc, bidder limit 3",
        "silent": "select id from auction where not exists "
        "(select 1 from bid where bid.auction = auction.id and bid.price > auction.reserve)",
    },
    windows=(
        (_BIDS.format(first=100, count=25),),
        (
            "DELETE FROM bid WHERE price > 420",
            (
                "UPDATE auction SET reserve = reserve + 150, category = (category + 1) % 4 "
                "WHERE id % 3 = 0"
            ),
            "DELETE FROM person WHERE id = 2",
        ),
        (
            "INSERT INTO person VALUES (2, 'again', NULL), (20, 'new', 'OR')",
            "UPDATE bid SET bidder = 20, price = price + 5 WHERE auction = 4",
            "INSERT INTO auction VALUES (30, 20, 1, NULL)",
            "DELETE FROM bid WHERE auction = 5",
            "INSERT INTO bid VALUES (999, 30, 2, 77, NULL)",
        ),
    ),
)

ORDERS: Final = QuerySet(
    tables=(
        (
            "CREATE TABLE customer (c_id INTEGER, c_d INTEGER, c_name VARCHAR, c_balance "
            "DECIMAL(12,2))"
        ),
        (
            "CREATE TABLE orders (o_id INTEGER, o_c INTEGER, o_d INTEGER, o_day DATE, "
            "o_carrier INTEGER)"
        ),
        (
            "CREATE TABLE line (l_o INTEGER, l_number INTEGER, l_item INTEGER, l_quantity INTEGER, "
            "l_amount DECIMAL(8,2), l_delivered DATE)"
        ),
        "CREATE TABLE stock (s_item INTEGER, s_quantity INTEGER)",
    ),
    start=(
        "INSERT INTO customer SELECT i, i % 2, 'n' || (i % 5), i * 10.5 FROM range(10) r(i)",
        (
            "INSERT INTO orders SELECT i, i % 10, i % 2, DATE '2026-01-01' + (i % 6)::INTEGER, "
            "CASE WHEN i % 3 > 0 THEN i % 4 END FROM range(24) r(i)"
        ),
        (
            "INSERT INTO line SELECT i % 24, i // 24, (i * 5) % 8, 1 + i % 6, 3.25 * (i % 11), "
            "CASE WHEN i % 4 > 0 THEN DATE '2026-01-08' END FROM range(72) r(i)"
        ),
        "INSERT INTO stock SELECT i, 10 + i * 3 FROM range(8) r(i)",
    ),
    queries={
        "district": "select o_d, count(*) as n, count(o_carrier) as sent, "
        "count(distinct o_c) as customers, min(o_day) as first, max(o_day) as last "
        "from orders group by o_d",
        "revenue": "select o.o_day, sum(l.l_amount) as amount, avg(l.l_quantity) as quantity, "
        "sum(l.l_amount) filter (where l.l_delivered is null) as waiting "
        "from orders o join line l on l.l_o = o.o_id group by o.o_day",
        "low_stock": "select s.s_item, s.s_quantity, w.wanted from stock s join (select l_item, "
        "sum(l_quantity) as wanted from line group by l_item) w on w.l_item = s.s_item "
        "where s.s_quantity < w.wanted",
        "undelivered": "select c.c_name, o.o_id from customer c join orders o on o.o_c = c.c_id "
        "where exists (select 1 from line l where l.l_o = o.o_id and l.l_delivered is null)",
        "best_customers": "select c_id, c_name, spent from (select c.c_id, c.c_name, "
        "sum(l.l_amount) as spent from customer c join orders o on o.o_c = c.c_id join line l on "
        "l.l_o = o.o_id group by c.c_id, c.c_name) x order by spent desc, c_id limit 4",
        "bought_together": "select a.l_item as one, b.l_item as other, count(*) as n from line a "
        "join line b on a.l_o = b.l_o and a.l_item < b.l_item group by a.l_item, b.l_item "
        "having count(*) > 1",
        "same_name": "select a.c_id, b.c_id as other from customer a join customer b "
        "on a.c_name = b.c_name and a.c_id < b.c_id",
        "last_order": "select o.o_c, o.o_id from orders o where o.o_day = "
        "(select max(p.o_day) from orders p where p.o_c = o.o_c)",
        "idle": "select c_id from customer where c_id not in "
        "(select o_c from orders where o_c is not null)",
        "levels": "select o_d, o_carrier, count(*) as n, grouping(o_carrier) as level from orders "
        "group by rollup (o_d, o_carrier) having count(*) > 0",
        "above_average": "select l_o, l_number from line l where l_amount > "
        "(select avg(l_amount) from line where line.l_item = l.l_item)",
    },
    windows=(
        (
            "INSERT INTO orders VALUES (100, 3, 1, DATE '2026-01-09', NULL)",
            "INSERT INTO line VALUES (100, 0, 2, 4, 12.00, NULL), (100, 1, 7, 1, 9.99, NULL)",
            "UPDATE stock SET s_quantity = s_quantity - 4 WHERE s_item IN (2, 7)",
        ),
        (
            "UPDATE orders SET o_carrier = 7 WHERE o_carrier IS NULL",
            "UPDATE line SET l_delivered = DATE '2026-01-10' WHERE l_o = 100 OR l_o < 4",
            "DELETE FROM orders WHERE o_id IN (5, 6)",
            "DELETE FROM line WHERE l_o = 5",
            "UPDATE customer SET c_balance = c_balance - 1.05, c_name = 'n1' WHERE c_id = 3",
        ),
        (
            "DELETE FROM line WHERE l_item = 5",
            "INSERT INTO customer VALUES (50, NULL, NULL, NULL)",
            "UPDATE orders SET o_c = NULL WHERE o_c = 4",
            "DELETE FROM stock",
            "INSERT INTO stock VALUES (1, 0), (2, NULL)",
        ),
    ),
)
