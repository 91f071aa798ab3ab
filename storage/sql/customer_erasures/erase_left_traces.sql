-- Erases the texts and places of traces that hold a word of a person, of shipments that are not the person's any more. A
-- word that the shipment's recipient has is not the person's alone.
-- $1 business uuid, $2 records uuid[], $3 words text[]
update shipment_traces t set description = status_text(t.status), location = null
from shipments s
where s.business_id = $1 and s.guid = any ($2::uuid[]) and t.business_id = $1 and t.shipment_id = s.guid
  and holds_word(concat_ws(' ', t.description, t.location),
                 array(select w.word from unnest($3::text[]) w (word)
                       where (w.word in (lower(s.recipient_name), lower(s.recipient_email), lower(s.recipient_phone),
                                         lower(s.recipient_street))) is not true))
