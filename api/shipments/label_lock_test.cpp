#include "api/shipments/label_lock.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace waybill::api {
namespace {

/// The fields that a body changes in a shipment whose values are all null.
std::string changed_by(const json::object& body) {
  const ShipmentValues before;
  ShipmentValues values;
  FieldErrors errors;
  values.merge(body, errors);
  EXPECT_TRUE(errors.empty());
  std::string fields;
  for (const FieldError& change : changes_of_labelled(values, before))
    fields += (fields.empty() ? "" : " ") + change.field;
  return fields;
}

TEST(LabelLocks, HoldWhilePurchasesAreOpenOrBought) {
  for (const char* const status : {"buying", "bought", "unknown", "voiding"}) {
    EXPECT_TRUE(is_label_locked(status)) << status;
    EXPECT_EQ(locked_by_label(status).code(), ErrorCode::conflict);
  }
  for (const char* const status : {"refused", "voided"}) EXPECT_FALSE(is_label_locked(status)) << status;
  EXPECT_FALSE(is_label_locked(std::nullopt));
}

TEST(LabelLocks, NameWhatTheLabelShows) {
  EXPECT_EQ(changed_by({{"carrierTrackingNumber", "1Z2"}}), "carrierTrackingNumber");
  EXPECT_EQ(changed_by({{"recipient", {{"phone", "1"}, {"city", "Bonn"}}}}),
            "recipient.address.city recipient.phone");
  EXPECT_EQ(changed_by({{"sender", {{"address", {{"street", "1"}}}}}}), "sender.address.street");
  EXPECT_EQ(changed_by({{"carrierId", "00000000-0000-4000-8000-0000000000b1"}, {"serviceLevel", "express"}}),
            "carrier serviceLevel");
  EXPECT_EQ(changed_by({{"instructions", "ring"}, {"tags", {"vip"}}}), "");
}

TEST(LabelLocks, NameOtherPackages) { EXPECT_EQ(changed_by({{"packages", {{{"weight", 3}}}}}), "packages"); }

}  // namespace
}  // namespace waybill::api
