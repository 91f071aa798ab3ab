#include "connectors/store_buyer.hpp"

#include <initializer_list>

namespace waybill::connectors {
namespace {

using Text = std::optional<std::string>;

Text first_of(std::initializer_list<Text> texts) {
  for (const auto& text : texts) {
    if (text) return text;
  }
  return std::nullopt;
}

}  // namespace

void set_buyer(StoreOrder& order, const StorePerson& billing, const StorePerson& account) {
  const StorePerson& recipient = order.recipient;
  const Text recipient_name = first_of({recipient.name, recipient.company});
  order.customer_name = first_of({billing.name, account.name, billing.company, account.company});
  if (!order.customer_name) order.customer_name = recipient_name;
  const StorePerson same = order.customer_name == recipient_name ? recipient : StorePerson();
  order.customer_company = first_of({billing.company, account.company, same.company});
  order.customer_email = first_of({billing.email, account.email, same.email});
  order.customer_phone = first_of({billing.phone, account.phone, same.phone});
}

}  // namespace waybill::connectors
