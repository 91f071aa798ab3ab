#include "matching/relatives.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"

namespace waybill::matching {
namespace {

using storage::Relative;
using testing::ElementsAre;
using testing::IsEmpty;

const Guid business = Guid::parse("00000000-0000-4000-8000-000000000001").value();
const Guid shipment = Guid::parse("00000000-0000-4000-8000-000000000002").value();
const Guid old_carrier = Guid::parse("00000000-0000-4000-8000-00000000000a").value();
const Guid new_carrier = Guid::parse("00000000-0000-4000-8000-00000000000b").value();
const Guid plain_carrier = Guid::parse("00000000-0000-4000-8000-00000000000c").value();

json::value carrier(const Guid& guid) { return json::object{{"guid", guid.to_string()}}; }

/// A change of a shipment with a number, a given link and a carrier.
domain::Change change_of(json::value number, json::value link, json::value its_carrier,
                         json::object previous) {
  domain::Change change;
  change.type = domain::EntityType::shipment;
  change.entity = {{"guid", shipment.to_string()},
                   {"carrierTrackingNumber", std::move(number)},
                   {"carrierTrackingUrl", std::move(link)},
                   {"carrier", std::move(its_carrier)}};
  change.previous = std::move(previous);
  return change;
}

class LinksBeforeChanges : public testing::Test {
 protected:
  /// Fills the change and returns its old values.
  json::object previous_of(domain::Change change) {
    index_.fill(business, shipment, change);
    return change.previous;
  }

 private:
  static Relative carrier_row(const Guid& guid, std::optional<std::string> pattern) {
    return {.kind = Relative::Kind::carrier,
            .key = {business, guid},
            .related = {},
            .name = "Carrier",
            .extra = std::move(pattern),
            .more = {},
            .label_status = {}};
  }

  std::vector<Relative> rows_{carrier_row(old_carrier, "https://old.example/{number}"),
                              carrier_row(new_carrier, "https://new.example/{number}"),
                              carrier_row(plain_carrier, std::nullopt)};
  RelativeIndex index_{rows_};
};

TEST_F(LinksBeforeChanges, ANewNumberGivesTheLinkOfTheOldNumber) {
  EXPECT_EQ(previous_of(change_of("2", nullptr, carrier(old_carrier), {{"carrierTrackingNumber", "1"}})),
            json::object({{"carrierTrackingNumber", "1"}, {"carrierTrackingUrl", "https://old.example/1"}}));
  EXPECT_EQ(previous_of(change_of("2", nullptr, carrier(old_carrier), {{"carrierTrackingNumber", nullptr}})),
            json::object({{"carrierTrackingNumber", nullptr}, {"carrierTrackingUrl", nullptr}}));
  EXPECT_EQ(previous_of(change_of(nullptr, nullptr, carrier(old_carrier), {{"carrierTrackingNumber", "1"}})),
            json::object({{"carrierTrackingNumber", "1"}, {"carrierTrackingUrl", "https://old.example/1"}}));
}

TEST_F(LinksBeforeChanges, ANewCarrierGivesTheLinkByThePatternOfTheOldOne) {
  EXPECT_EQ(
      previous_of(change_of("1", nullptr, carrier(new_carrier), {{"carrier", carrier(old_carrier)}})),
      json::object({{"carrier", carrier(old_carrier)}, {"carrierTrackingUrl", "https://old.example/1"}}));
  EXPECT_EQ(
      previous_of(change_of("1", nullptr, nullptr, {{"carrier", carrier(old_carrier)}})),
      json::object({{"carrier", carrier(old_carrier)}, {"carrierTrackingUrl", "https://old.example/1"}}));
  EXPECT_EQ(previous_of(change_of("1", nullptr, carrier(new_carrier), {{"carrier", nullptr}})),
            json::object({{"carrier", nullptr}, {"carrierTrackingUrl", nullptr}}));
}

TEST_F(LinksBeforeChanges, AGivenLinkTakesThePlaceOfTheMadeOne) {
  const json::value given = "https://given.example/";
  EXPECT_EQ(previous_of(change_of("1", given, carrier(old_carrier), {{"carrierTrackingUrl", nullptr}})),
            json::object({{"carrierTrackingUrl", "https://old.example/1"}}));
  EXPECT_EQ(previous_of(change_of("1", nullptr, carrier(old_carrier), {{"carrierTrackingUrl", given}})),
            json::object({{"carrierTrackingUrl", given}}));
  EXPECT_EQ(previous_of(change_of("2", given, carrier(old_carrier), {{"carrierTrackingNumber", "1"}})),
            json::object({{"carrierTrackingNumber", "1"}}))
      << "the link stays";
}

TEST_F(LinksBeforeChanges, ALinkThatStaysTheSameIsNoOldValue) {
  EXPECT_EQ(previous_of(change_of("1", nullptr, carrier(old_carrier),
                                  {{"carrierTrackingUrl", "https://old.example/1"}})),
            json::object());
  EXPECT_EQ(previous_of(change_of("2", nullptr, carrier(plain_carrier), {{"carrierTrackingNumber", "1"}})),
            json::object({{"carrierTrackingNumber", "1"}}))
      << "without a pattern";
  EXPECT_EQ(previous_of(change_of("1", nullptr, carrier(old_carrier), {{"status", "created"}})),
            json::object({{"status", "created"}}));
}

TEST_F(LinksBeforeChanges, ANewShipmentHasNoOldLink) {
  domain::Change created = change_of("1", nullptr, carrier(old_carrier), {});
  created.created = true;
  EXPECT_EQ(previous_of(std::move(created)), json::object());
}

TEST_F(LinksBeforeChanges, TheFormerCarrierIsReadOnlyWithAChangeOfTheCarrier) {
  const auto carriers = [](const domain::Change& change) {
    storage::RelativesWanted wanted;
    collect_relatives(business, shipment, change, wanted);
    std::vector<Guid> guids;
    for (const auto& key : wanted.carriers) guids.push_back(key.guid);
    return guids;
  };
  EXPECT_THAT(carriers(change_of("1", nullptr, carrier(new_carrier), {{"carrier", carrier(old_carrier)}})),
              ElementsAre(new_carrier, old_carrier));
  EXPECT_THAT(carriers(change_of("2", nullptr, carrier(new_carrier), {{"carrierTrackingNumber", "1"}})),
              ElementsAre(new_carrier));
  domain::Change of_order =
      change_of("1", nullptr, carrier(new_carrier), {{"carrier", carrier(old_carrier)}});
  of_order.type = domain::EntityType::order;
  EXPECT_THAT(carriers(of_order), ElementsAre(new_carrier));
  storage::RelativesWanted wanted;
  collect_carriers_of_link(business, change_of("1", nullptr, carrier(new_carrier), {{"status", "created"}}),
                           wanted);
  EXPECT_THAT(wanted.carriers, IsEmpty());
}

}  // namespace
}  // namespace waybill::matching
