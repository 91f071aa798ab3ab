-- Leases parts of the requests per minute of a token and of its business to a node. Returns, for each, the number granted,
-- the number leased by all nodes, and whether other nodes lease too. The minute is that of the server: a node may be a minute
-- off, and a stored minute that is farther ahead, from a clock that was wrong, is replaced. A minute has at least the number
-- that the node knows: the table is unlogged, so a crash or a fail-over of the server empties it. The rows are locked in the
-- order of their keys.
-- $1 holders uuid[] (a token, a business), $2 minute bigint (the node's), $3 limits bigint[], $4 wanted bigint[],
-- $5 node uuid, $6 wanted_if_shared bigint[], $7 known_used bigint[] (in the node's minute)
-- -> holder uuid, granted bigint, used bigint, is_shared boolean
with present as materialized (
  select minute, case when $2::bigint between minute - 1 and minute + 1 then $2::bigint else minute end as wanted
  from (select floor(extract(epoch from clock_timestamp()) / 60)::bigint as minute) p
), wishes as materialized (
  select w.holder, w.quota, w.wanted, w.wanted_if_shared, p.minute, p.wanted as window_start,
         case when p.wanted = $2::bigint then w.known_used else 0 end as known
  from unnest($1::uuid[], $3::bigint[], $4::bigint[], $6::bigint[], $7::bigint[])
         w (holder, quota, wanted, wanted_if_shared, known_used),
       present p
)
insert into quota_windows as q (token_id, window_start, used, granted, holder, is_shared)
select w.holder, w.window_start, w.known + g.granted, g.granted, $5::uuid, false
from wishes w, lateral (select greatest(0, least(w.wanted, w.quota - w.known)) as granted) g
order by w.holder
on conflict (token_id) do update
set (window_start, used, granted, holder, is_shared) = (
  select n.window_start, n.used + g.granted, g.granted, $5::uuid, n.is_shared
  from wishes w,
       lateral (select w.window_start > q.window_start or q.window_start > w.minute + 1 as is_new) k,
       lateral (select case when k.is_new then w.window_start else q.window_start end as window_start,
                       case when k.is_new then w.known
                            when q.window_start = w.window_start then greatest(q.used, w.known) else q.used end as used,
                       not k.is_new and (q.is_shared or q.holder <> $5::uuid) as is_shared) n,
       lateral (select greatest(0, least(case when n.is_shared then w.wanted_if_shared else w.wanted end,
                                         w.quota - n.used)) as granted) g
  where w.holder = q.token_id)
returning token_id as holder, granted, used, is_shared
