#include "matching/stored_texts.hpp"

#include "actions/stored_templates.hpp"
#include "storage/sql.hpp"

namespace waybill::matching {

boost::asio::awaitable<StoredTexts> stored_texts(storage::Database& database, const Guid& business,
                                                 const std::vector<std::string>& codes) {
  const auto rows = co_await database.read(storage::sql::templates::texts,
                                           storage::Params().add(business.to_string()).add_array(codes));
  StoredTexts texts{.business_name = std::string(rows.get(0, 0)),
                    .sender_name = std::string(rows.find(0, 2).value_or("")),
                    .reply_to = std::string(rows.find(0, 3).value_or("")),
                    .templates = json::parse(rows.get(0, 1)).as_object()};
  actions::add_built_in_templates(texts.templates);
  co_return texts;
}

}  // namespace waybill::matching
