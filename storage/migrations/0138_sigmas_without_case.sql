-- The small letters σ and ς are one letter without regard to case: for the tags that a workflow adds and removes, and for the
-- words of erased customers.

create or replace function changed_tags(tags jsonb, added text[], removed text[]) returns jsonb language sql immutable as $$
  select jsonb_agg(t.tag order by t.place)
  from (select distinct on (translate(lower(a.tag), 'ς', 'σ')) a.tag, a.place
        from (select k.tag, k.place from jsonb_array_elements_text(coalesce(tags, '[]')) with ordinality k (tag, place)
              where translate(lower(k.tag), 'ς', 'σ') <> all (select translate(lower(r.tag), 'ς', 'σ')
                                                              from unnest(removed) r (tag))
              union all
              select n.tag, 1000000 + n.place from unnest(added) with ordinality n (tag, place)) a
        order by translate(lower(a.tag), 'ς', 'σ'), a.place) t $$;

create or replace function holds_word(value text, words text[]) returns boolean language sql immutable
return (select exists (select from unnest(words) w (word) where strpos(v.folded, translate(w.word, 'ς', 'σ')) > 0)
        from (select translate(lower(value), 'ς', 'σ') as folded offset 0) v);

create or replace function text_without(value text, words text[]) returns text language plpgsql immutable as $$
declare
  folded text := translate(lower(value), 'ς', 'σ');
  held text[] := array(select w.word from (select translate(n.word, 'ς', 'σ') as word from unnest(words) n (word)) w
                       where strpos(folded, w.word) > 0 order by length(w.word) desc);
  word text;
  begins boolean;
  is_one boolean;
  place integer;
  found integer;
begin
  if cardinality(held) = 0 then return value; end if;
  if length(folded) <> length(value) then value := folded; end if;  -- a place must be the same in both
  foreach word in array held loop
    begins := word ~ '^[[:alnum:]]' and ascii(word) < x'0e00'::integer;
    is_one := word !~ '[^[:alnum:]]' and ascii(right(word, 1)) < x'0e00'::integer;
    place := 1;
    loop
      found := strpos(substr(folded, place), word);
      exit when found = 0;
      found := place + found - 1;
      place := found + 1;
      continue when begins and substr(folded, found - 1, 1) ~ '[[:alnum:]]'
                 or is_one and substr(folded, found + length(word), 1) ~ '[[:alnum:]]';
      value := overlay(value placing 'Erased' from found for length(word));
      folded := overlay(folded placing 'erased' from found for length(word));
      place := found + length('Erased');
    end loop;
  end loop;
  return value;
end $$;
