-- Returns a business.
-- $1 business uuid
-- -> guid uuid, name text, email text or null, ...
select guid, name, email, phone, street as "address.street", city as "address.city", state as "address.state",
       postal_code as "address.postalCode", country as "address.country", timezone as "settings.timezone",
       currency as "settings.currency", logo_url as "branding.logoUrl", brand_color as "branding.color",
       sender_name as "branding.senderName", reply_to as "branding.replyTo", workdays as "calendar.workdays",
       holidays as "calendar.holidays"
from businesses where guid = $1::uuid
