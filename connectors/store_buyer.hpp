#pragma once

#include "connectors/connector.hpp"

namespace waybill::connectors {

/// Sets the customer of an order whose recipient is set: the person or company of the billing address, else
/// of the buyer's account, else (a guest without a billing address) the recipient. Another recipient's phone,
/// e-mail address and company are never the buyer's.
void set_buyer(StoreOrder& order, const StorePerson& billing, const StorePerson& account = {});

}  // namespace waybill::connectors
