-- Leases a part of a token's requests per minute to a node. Returns the number granted, the number leased by
-- all nodes, and whether other nodes lease too. A node whose clock is behind uses the newer minute.
-- $1 token uuid, $2 minute bigint, $3 limit bigint, $4 wanted bigint, $5 node uuid,
-- $6 wanted_if_shared bigint
-- -> granted bigint, used bigint, is_shared boolean
insert into quota_windows as q (token_id, window_start, used, granted, holder, is_shared)
values ($1::uuid, $2::bigint, least($4::bigint, $3::bigint), least($4::bigint, $3::bigint), $5::uuid, false)
on conflict (token_id) do update
set (window_start, used, granted, holder, is_shared) = (
  select greatest(q.window_start, $2::bigint), n.used + g.granted, g.granted, $5::uuid, n.is_shared
  from (select case when $2::bigint > q.window_start then 0 else q.used end as used,
               $2::bigint <= q.window_start and (q.is_shared or q.holder <> $5::uuid) as is_shared) n,
       lateral (select greatest(0, least(case when n.is_shared then $6::bigint else $4::bigint end,
                                         $3::bigint - n.used)) as granted) g)
returning granted, used, is_shared
