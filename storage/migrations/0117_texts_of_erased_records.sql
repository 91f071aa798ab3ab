-- An erasure clears what people wrote in the data for customs of a person's shipments, and replaces the person in the items and the
-- shipping method of the person's orders.

-- A text in which `Erased` replaces the words, which are lower-case. A word begins where no letter or digit is before it. One of
-- letters and digits alone also ends where none follows: "ann" is not in "Annual". Scripts from Thai on have no blanks at words.
create function text_without(value text, words text[]) returns text language plpgsql immutable as $$
declare
  folded text := lower(value);
  held text[] := array(select w.word from unnest(words) w (word) where strpos(folded, w.word) > 0 order by length(w.word) desc);
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

-- A list of objects, in whose texts the words are replaced. Guids stay. A list or object inside such an object that holds a word
-- becomes null.
create function texts_without(list jsonb, words text[]) returns jsonb language sql immutable
return (
  select jsonb_agg(case jsonb_typeof(e.item)
                     when 'string' then to_jsonb(text_without(e.item #>> '{}', words))
                     when 'object' then coalesce(o.item, '{}')
                     else e.item end order by e.place)
  from jsonb_array_elements(list) with ordinality e (item, place)
  cross join lateral (
    select jsonb_object_agg(m.name, case
             when jsonb_typeof(m.value) = 'string' and m.text !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
               then to_jsonb(text_without(m.text, words))
             when jsonb_typeof(m.value) in ('array', 'object')
                  and exists (select from jsonb_path_query(m.value, 'strict $.** ? (@.type() == "string")') t (inner_text)
                              where holds_word(t.inner_text #>> '{}', words)) then 'null'
             else m.value end) as item
    from (select i.key, i.value, i.value #>> '{}'
          from jsonb_each(case when jsonb_typeof(e.item) = 'object' then e.item else '{}' end) i) m (name, value, text)) o);

-- Data for customs without the descriptions, which people write, and with the words replaced in what should be codes. Members
-- that the API does not have are left out.
create function customs_without(customs jsonb, words text[]) returns jsonb language sql immutable
return jsonb_build_object(
  'contents', text_without(customs ->> 'contents', words), 'incoterm', text_without(customs ->> 'incoterm', words),
  'items', coalesce(texts_without(
    (select jsonb_agg(jsonb_build_object(
              'description', case when i.item ->> 'description' <> '' then 'Erased' end,  -- a purchase under way needs one
              'quantity', i.item -> 'quantity', 'value', i.item -> 'value', 'currency', i.item -> 'currency',
              'weight', i.item -> 'weight', 'hsCode', i.item -> 'hsCode', 'originCountry', i.item -> 'originCountry')
              order by i.place)
     from jsonb_array_elements(case when jsonb_typeof(customs -> 'items') = 'array' then customs -> 'items' else '[]' end)
       with ordinality i (item, place)), words), '[]'));

create or replace function erased(o orders, words text[]) returns orders language plpgsql immutable as $$
declare
  items jsonb;
begin
  if o.guid is null then return null; end if;
  o.shipping_method := text_without(o.shipping_method, words);
  -- JSON escapes some characters, so a word with one of these may be in any items.
  if holds_word(o.items::text, words) or exists (select from unnest(words) w (word) where w.word ~ '["\\[:cntrl:]]') then
    items := texts_without(o.items::jsonb, words);
    if items <> o.items::jsonb then o.items := items; end if;
  end if;
  words := words || array(select lower(d) from unnest(array[o.delivery_name, o.delivery_email, o.delivery_phone]) d
                          where length(d) > 2);
  o.delivery_name := null;
  o.delivery_company := null;
  o.delivery_phone := null;
  o.delivery_email := null;
  o.delivery_street := null;
  o.delivery_postal_code := null;
  o.notes := null;
  if holds_word(o.external_reference, words) then o.external_reference := null; end if;
  if o.tags is not null then o.tags := tags_without(o.tags, words); end if;
  if o.metadata is not null then o.metadata := metadata_without(o.metadata, words); end if;
  return o;
end $$;

create or replace function erased(s shipments, words text[]) returns shipments language plpgsql immutable as $$
begin
  if s.guid is null then return null; end if;
  if holds_word(s.sender_name, words) then  -- a parcel that the person sends back
    s.sender_name := 'Erased';
    s.sender_company := null;
    s.sender_phone := null;
    s.sender_street := null;
    s.sender_postal_code := null;
  end if;
  words := words || array(select lower(d) from unnest(array[s.recipient_name, s.recipient_email, s.recipient_phone]) d
                          where length(d) > 2 and d <> 'Erased');
  s.recipient_name := 'Erased';
  s.recipient_company := null;
  s.recipient_phone := null;
  s.recipient_email := null;
  s.recipient_street := null;
  s.recipient_postal_code := null;
  s.instructions := null;
  s.carrier_tracking_url := null;  -- a gateway's page shows the recipient's place; the number stays
  if s.customs is not null then s.customs := customs_without(s.customs, words); end if;
  if holds_word(s.external_reference, words) then s.external_reference := null; end if;
  if s.tags is not null then s.tags := tags_without(s.tags, words); end if;
  if s.metadata is not null then s.metadata := metadata_without(s.metadata, words); end if;
  return s;
end $$;
