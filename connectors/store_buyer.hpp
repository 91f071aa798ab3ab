#pragma once

#include "connectors/connector.hpp"

namespace waybill::connectors {

/// Sets the customer of an order: the person or company of the billing address, or else of the buyer's
/// account, or else (a guest without a billing address) the recipient. The recipient must be set before. If
/// the recipient is another person, the customer never gets the recipient's phone, e-mail address or company.
void set_buyer(StoreOrder& order, const StorePerson& billing, const StorePerson& account = {});

}  // namespace waybill::connectors
