-- The text is folded once instead of once for each word: an erasure looks for up to a thousand words in all records of a person.
create or replace function holds_word(value text, words text[]) returns boolean language sql immutable
return (select exists (select from unnest(words) w (word) where strpos(v.folded, w.word) > 0)
        from (select lower(value) as folded offset 0) v);
