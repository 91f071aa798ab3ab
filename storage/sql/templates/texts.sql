-- Returns a business's name, the texts of templates and of those they include, by code, and the business's branding
-- of mails.
-- runs: long
-- $1 business uuid, $2 codes text[]
-- -> name text, texts jsonb, sender_name text or null, reply_to text or null
select b.name, template_texts(b.guid, $2::text[]) as texts, b.sender_name, b.reply_to from businesses b
where b.guid = $1::uuid
