-- An erasure clears the carrier's page of a parcel, which the gateway has sold with the label.
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
  if holds_word(s.external_reference, words) then s.external_reference := null; end if;
  if s.tags is not null then s.tags := tags_without(s.tags, words); end if;
  if s.metadata is not null then s.metadata := metadata_without(s.metadata, words); end if;
  return s;
end $$;
