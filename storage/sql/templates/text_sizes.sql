-- Returns the bytes of the texts of a business's templates, and those of its workflows (../workflows/sizes.inc), as they are
-- when one template is added or replaced.
-- $1 business uuid, $2 replaced text or null (the code of the present template), $3 code text or null (of the new one; null:
-- nothing changes), $4 bytes bigint (of its texts), $5 partials text[] (that they include)
-- -> templates bigint, workflows bigint
with recursive parts as materialized (
  select * from (
\ir parts.inc
  ) t where t.code is distinct from $2::text
  union all
  select $3::text, $5::text[], $4::bigint where $3::text is not null
),
\ir ../workflows/sizes.inc
select (select coalesce(sum(bytes), 0)::bigint from parts) as templates,
       (select coalesce(sum(bytes), 0)::bigint from sizes) as workflows
