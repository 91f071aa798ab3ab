// Tracking numbers as the store shows them after a call.
#include <atomic>
#include <optional>
#include <string>
#include <string_view>

#include "tests/connectors/medusa_fixture.hpp"

namespace waybill::connectors {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

TEST_F(MedusaConnector, ShowsAParcelOnceAfterSeveralCalls) {
  const auto id = server().order();
  const auto store = open();
  EXPECT_TRUE(await(store->send_tracking(parcel(id, "WB100"))));
  EXPECT_THAT(labels(id), ElementsAre(ElementsAre("WB100")));
  const auto shipped = server().read(id);
  EXPECT_EQ(text_at(shipped, "fulfillment_status"), "shipped");
  EXPECT_EQ(text_at(shipped, "fulfillments.0.labels.0.tracking_url"), "https://track.example/WB100");
  EXPECT_FALSE(await(store->send_tracking(parcel(id, "WB100"))));
  EXPECT_FALSE(await(open()->send_tracking(parcel(id, "WB100"))));
  EXPECT_THAT(labels(id), ElementsAre(ElementsAre("WB100")));
  EXPECT_EQ(text_at(server().read(id), "updated_at"), text_at(shipped, "updated_at"));
  EXPECT_EQ(only(id).status, "shipped");
}

TEST_F(MedusaConnector, AcceptsAParcelWithoutATrackingUrl) {
  for (const auto* const url : {"", "javascript:alert(1)"}) {
    const auto id = server().order();
    auto tracking = parcel(id, "WB101");
    tracking.tracking_url = url;
    EXPECT_TRUE(await(open()->send_tracking(tracking)));
    EXPECT_THAT(labels(id), ElementsAre(ElementsAre("WB101")));
  }
}

TEST_F(MedusaConnector, ContinuesAnInterruptedCall) {
  // Each POST of a call fails in turn, before it reaches the store and after.
  for (const bool done : {false, true}) {
    for (const std::string_view lost : {"/fulfillments", "/shipments"}) {
      SCOPED_TRACE(std::string(lost) + (done ? " done" : " not done"));
      const auto id = server().order();
      std::atomic<bool> faulty = true;
      Proxy proxy(server().port(),
                  [&](const Proxy::Request& request, const auto& answer) -> std::optional<RawServer::Reply> {
                    if (!faulty || request.method != "POST" || !request.target.ends_with(lost))
                      return std::nullopt;
                    if (done) answer();
                    return Proxy::lost();
                  });
      EXPECT_EQ(problem_of(open(server().key(), proxy.url())->send_tracking(parcel(id, "WB102"))),
                StoreProblem::busy);
      faulty = false;
      const bool all_done = done && lost == "/shipments";
      EXPECT_EQ(await(open(server().key(), proxy.url())->send_tracking(parcel(id, "WB102"))), !all_done);
      EXPECT_THAT(labels(id), ElementsAre(ElementsAre("WB102")));
      EXPECT_EQ(only(id).status, "shipped");
    }
  }
}

TEST_F(MedusaConnector, ShipsFulfilmentsOfTheMerchant) {
  const auto id = server().order();
  server().fulfill(id, 0);
  EXPECT_TRUE(await(open()->send_tracking(parcel(id, "WB103"))));
  EXPECT_THAT(labels(id), ElementsAre(ElementsAre("WB103")));
  EXPECT_EQ(text_at(server().read(id), "fulfillment_status"), "partially_shipped");

  // Two fulfilments that were open when the call began belong to it; a later one does not.
  const auto two = server().order();
  server().fulfill(two, 0);
  server().fulfill(two, 1);
  EXPECT_TRUE(await(open()->send_tracking(parcel(two, "WB104"))));
  EXPECT_THAT(labels(two), ElementsAre(ElementsAre("WB104"), ElementsAre("WB104")));
}

TEST_F(MedusaConnector, LeavesALaterFulfilmentToTheNextParcel) {
  const auto id = server().order();
  server().ship(id, server().fulfill(id, 0), "WB105");
  server().fulfill(id, 1);
  EXPECT_FALSE(await(open()->send_tracking(parcel(id, "WB105"))));
  EXPECT_TRUE(await(open()->send_tracking(parcel(id, "WB106"))));
  EXPECT_THAT(labels(id), UnorderedElementsAre(ElementsAre("WB105"), ElementsAre("WB106")));
  EXPECT_EQ(text_at(server().read(id), "fulfillment_status"), "shipped");
}

TEST_F(MedusaConnector, NotesFurtherParcelsOfAFullyShippedOrder) {
  const auto id = server().order();
  server().post("/admin/orders/" + id, {{"metadata", {{"gift", "yes"}}}});
  const auto store = open();
  EXPECT_TRUE(await(store->send_tracking(parcel(id, "WB107"))));
  EXPECT_TRUE(await(store->send_tracking(parcel(id, "WB108"))));
  EXPECT_FALSE(await(store->send_tracking(parcel(id, "WB108"))));
  EXPECT_TRUE(await(store->send_tracking(parcel(id, "WB109"))));
  EXPECT_FALSE(await(store->send_tracking(parcel(id, "WB107"))));
  EXPECT_THAT(labels(id), ElementsAre(ElementsAre("WB107")));
  const auto order = server().read(id);
  EXPECT_EQ(text_at(order, "metadata.gift"), "yes");
  EXPECT_EQ(text_at(order, "metadata.waybill_tracking_WB108.tracking_url"), "https://track.example/WB108");
  EXPECT_EQ(text_at(order, "metadata.waybill_tracking_WB109.carrier"), "DHL");
}

// The server cannot change a label, so the number of the carrier is noted next to it.
TEST_F(MedusaConnector, NotesACarriersNumberThatIsKnownAfterOurs) {
  const auto id = server().order();
  const auto store = open();
  auto tracking = parcel(id, "WB120");
  tracking.carrier_name = tracking.carrier_code = "";
  tracking.tracking_url = "https://parcels.example/track/00112233445566778899aabbccddeeff";
  EXPECT_TRUE(await(store->send_tracking(tracking)));
  EXPECT_EQ(text_at(server().read(id), "fulfillments.0.labels.0.tracking_url"), tracking.tracking_url);

  auto later = parcel(id, "1Z120");
  later.earlier_numbers = {"WB120"};
  EXPECT_TRUE(await(store->send_tracking(later)));
  EXPECT_FALSE(await(store->send_tracking(later)));
  auto corrected = parcel(id, "1Z121");
  corrected.earlier_numbers = {"1Z120", "WB120"};
  EXPECT_TRUE(await(store->send_tracking(corrected)));
  EXPECT_FALSE(await(store->send_tracking(corrected)));
  const auto order = server().read(id);
  EXPECT_THAT(labels(id), ElementsAre(ElementsAre("WB120")));
  EXPECT_EQ(text_at(order, "metadata.waybill_tracking_1Z121.tracking_url"), "https://track.example/1Z121");
  EXPECT_FALSE(at(order, "metadata").as_object().contains("waybill_tracking_1Z120"));
  EXPECT_EQ(at(order, "fulfillments").as_array().size(), 1U);
}

TEST_F(MedusaConnector, ReportsCallsThatCanNeverSucceedAsPermanent) {
  const auto canceled = server().order();
  server().post("/admin/orders/" + canceled + "/cancel");
  std::string message;
  EXPECT_EQ(problem_of(open()->send_tracking(parcel(canceled, "WB110")), &message), StoreProblem::refused);
  EXPECT_THAT(message, HasSubstr("canceled"));
  EXPECT_EQ(problem_of(open()->send_tracking(parcel(server().draft(), "WB111"))), StoreProblem::refused);
  EXPECT_EQ(problem_of(open()->send_tracking(parcel("order_none", "WB112"))), StoreProblem::refused);
}

TEST_F(MedusaConnector, ReportsTheMessageOfTheStore) {
  const auto id = server().order();
  Proxy proxy(server().port(),
              [&](const Proxy::Request& request, const auto&) -> std::optional<RawServer::Reply> {
                if (request.method != "POST") return std::nullopt;
                return RawServer::answer(
                    400, R"({"type":"invalid_data","message":"No stock reservation found for item 1"})");
              });
  std::string message;
  EXPECT_EQ(problem_of(open(server().key(), proxy.url())->send_tracking(parcel(id, "WB113")), &message),
            StoreProblem::refused);
  EXPECT_THAT(message, HasSubstr("No stock reservation found"));
}

TEST_F(MedusaConnector, SendsAStockLocationIfTheStoreRequiresOne) {
  const auto id = server().order();
  Proxy proxy(server().port(),
              [&](const Proxy::Request& request, const auto&) -> std::optional<RawServer::Reply> {
                const bool is_missing_location = request.target.ends_with("/fulfillments") &&
                                                 request.body.find("location_id") == std::string::npos;
                if (!is_missing_location) return std::nullopt;
                return RawServer::answer(
                    400, R"({"type":"invalid_data","message":"Field 'location_id' is required"})");
              });
  EXPECT_TRUE(await(open(server().key(), proxy.url())->send_tracking(parcel(id, "WB114"))));
  EXPECT_THAT(labels(id), ElementsAre(ElementsAre("WB114")));
}

}  // namespace
}  // namespace waybill::connectors
