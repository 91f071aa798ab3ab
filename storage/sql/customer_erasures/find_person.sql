-- Returns the places, from 1, of the answers that hold a word of a person. Guids and the names of members are not searched.
-- The texts of an answer can be escaped as JSON, more than once, and as HTML.
-- $1 answers text[], $2 words text[]
-- -> place bigint
select a.place
from unnest($1::text[]) with ordinality a (answer, place)
cross join lateral (
  select regexp_replace(a.answer, '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\\*"\w+\\*":', '', 'g') as values) v
where holds_word(replace(replace(replace(replace(replace(replace(v.values, '\', ''), '&lt;', '<'), '&gt;', '>'),
                                         '&quot;', '"'), '&#39;', ''''), '&amp;', '&'),
                 array(select replace(w.word, '\', '') from unnest($2::text[]) w (word)))
