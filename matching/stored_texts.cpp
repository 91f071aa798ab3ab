#include "matching/stored_texts.hpp"

#include "actions/stored_templates.hpp"
#include "storage/sql/templates.sql.hpp"

namespace waybill::matching {

boost::asio::awaitable<StoredTexts> stored_texts(storage::Database& database, const Guid& business,
                                                 const std::vector<std::string>& codes) {
  const auto rows =
      co_await database.read(storage::sql::templates::Texts{.business = business, .codes = codes});
  const auto stored = rows.front();
  StoredTexts texts{.business_name = std::string(stored.name),
                    .sender_name = std::string(stored.sender_name.value_or("")),
                    .reply_to = std::string(stored.reply_to.value_or("")),
                    .templates = json::parse(stored.texts).as_object(),
                    .zone_offsets = std::string(stored.zone_offsets.value_or("")),
                    .email_enabled = stored.email_enabled,
                    .push_enabled = stored.push_enabled};
  actions::add_built_in_templates(texts.templates);
  co_return texts;
}

}  // namespace waybill::matching
