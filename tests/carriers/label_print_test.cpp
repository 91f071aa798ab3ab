// POST /api/v1/labels: labels of carriers, which the tests put into the tables, and waybill's own.
#include <cstdint>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/crypto.hpp"
#include "tests/api/fixtures/shipments_fixture.hpp"
#include "tests/documents/label_files.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr int own_width = 298;  // A6, rounded

class PrintLabels : public ShipmentsFixture {
 protected:
  static json::object body_of(const std::vector<std::string>& shipments) {
    json::array guids;
    for (const auto& shipment : shipments) guids.emplace_back(shipment);
    return {{"shipmentIds", std::move(guids)}};
  }
  Response print(const std::vector<std::string>& shipments) {
    return http.post("/api/v1/labels", body_of(shipments));
  }
  std::vector<int> widths(const std::vector<std::string>& shipments) {
    const auto printed = print(shipments);
    EXPECT_EQ(printed.status, 200) << printed.text.substr(0, 500);
    if (printed.status != 200) return {};
    EXPECT_EQ(printed.header("Content-Type"), "application/pdf");
    EXPECT_EQ(printed.header("Content-Disposition"), "inline; filename=\"labels.pdf\"");
    return page_widths(printed.text);
  }
  /// The reason why the only shipment is not printed.
  std::string problem(const std::string& shipment) {
    const auto printed = print({shipment});
    expect_refused(printed, 409, "CONFLICT");
    const auto details = printed.details();
    EXPECT_EQ(details.size(), 1U) << printed.text;
    return details.contains("shipmentIds[0]") ? std::string(details.at("shipmentIds[0]").as_string())
                                              : printed.text;
  }

  /// A shipment of a carrier with a gateway.
  std::string connected() {
    const auto guid = create({{"carrierId", carrier("ups")}});
    tenant.sql.rows(
        "insert into carrier_configurations (business_id, carrier_id, account_number, test_mode, connector) "
        "values ($1, $2, 'ca_1', false, 'easypost') on conflict do nothing",
        {tenant.id, carrier("ups")});
    return guid;
  }
  /// A purchase of a shipment; its label is stored if it has bytes.
  void purchase(const std::string& shipment, const std::string& status, const std::string& format = "pdf",
                const std::string& bytes = {}, int attempt = 1) {
    const auto guid = tenant.sql.value(
        "insert into purchases (business_id, guid, shipment_id, attempt, reference, shard, status, format, "
        "gateway_id, "
        "buy_begun_at, bought_at) "
        "values ($1, gen_random_uuid(), $2, $3, gen_random_uuid(), 0, $4, $5, 'shp_1', now(), now()) "
        "returning guid",
        {tenant.id, shipment, std::to_string(attempt), status, format});
    if (bytes.empty()) return;
    tenant.sql.rows(
        "insert into purchase_labels (business_id, purchase_id, shipment_id, format, bytes) "
        "values ($1, $2, $3, $4, decode($5, 'hex'))",
        {tenant.id, guid, shipment, format,
         hex(std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()))});
  }
  std::string bought(const std::string& bytes, const std::string& format = "pdf") {
    auto shipment = connected();
    purchase(shipment, "bought", format, bytes);
    return shipment;
  }
};

TEST_F(PrintLabels, AreOnePdfInTheOrderGiven) {
  const auto first = bought(pdf_of_pages({100, 110}));
  const auto second = bought(png_of(40, 60), "png");
  const auto own = create();
  EXPECT_THAT(widths({second, own, first}), ElementsAre(288, own_width, 100, 110));
  EXPECT_THAT(widths({first, second, own}), ElementsAre(100, 110, 288, own_width));
}

TEST_F(PrintLabels, OfACarrierWithoutAGatewayAreWaybillsOwn) {
  const auto shipment = create({{"carrierId", carrier("ups")}});
  EXPECT_THAT(widths({shipment}), ElementsAre(own_width));
  purchase(shipment, "voided", "pdf", pdf_of_pages({100}));
  EXPECT_THAT(widths({shipment}), ElementsAre(own_width)) << "the label is not valid any more";
}

TEST_F(PrintLabels, AreThoseOfTheLastPurchase) {
  const auto shipment = connected();
  purchase(shipment, "voided", "pdf", pdf_of_pages({100}), 1);
  EXPECT_THAT(problem(shipment), HasSubstr("voided"));
  purchase(shipment, "bought", "pdf", pdf_of_pages({110}), 2);
  EXPECT_THAT(widths({shipment}), ElementsAre(110));
}

TEST_F(PrintLabels, OfATestPurchaseHaveTestAcrossThem) {
  const auto shipment = bought(pdf_of_pages({100}));
  constexpr auto mark = "cm 0.6 G";
  EXPECT_THAT(print({shipment}).text, Not(HasSubstr(mark)));
  tenant.sql.rows("update purchases set test_mode = true where shipment_id = $1", {shipment});
  EXPECT_THAT(print({shipment}).text, HasSubstr(mark));
  EXPECT_THAT(widths({shipment}), ElementsAre(100));
}

TEST_F(PrintLabels, ThatAreNotThereAreNamedWithTheirReason) {
  EXPECT_EQ(problem(connected()), "has no bought label");
  for (const std::string status : {"requested", "buying", "unknown", "voiding"}) {
    const auto shipment = connected();
    purchase(shipment, status);
    EXPECT_EQ(problem(shipment), "has no bought label: the purchase is " + status);
  }
  const auto refused = connected();
  purchase(refused, "refused");
  EXPECT_EQ(problem(refused), "has no bought label: the last purchase is refused");
  const auto without_bytes = connected();
  purchase(without_bytes, "bought");
  EXPECT_EQ(problem(without_bytes), "has a label that is not loaded from the carrier yet");
  EXPECT_EQ(problem(bought("^XA^XZ", "zpl")), "has a ZPL label, which only label printers read");
  const auto erased = bought(pdf_of_pages({100}));
  tenant.sql.rows("update purchases set erased_at = now() where shipment_id = $1", {erased});
  EXPECT_EQ(problem(erased), "has a label that was erased");
}

TEST_F(PrintLabels, ThatCannotBeReadAreNamed) {
  const auto printed = print({create(), bought("<html>"), bought(pdf_of_pages({100})),
                              bought(encrypted_pdf()), bought(deep_pdf(100'000))});
  expect_refused(printed, 409, "CONFLICT");
  const auto details = printed.details();
  ASSERT_EQ(details.size(), 3U) << printed.text;
  EXPECT_EQ(details.at("shipmentIds[1]"), "has a damaged label");
  EXPECT_EQ(details.at("shipmentIds[3]"), "has an encrypted label");
  EXPECT_EQ(details.at("shipmentIds[4]"), "has a label that cannot be read with the time and memory for it");
  EXPECT_EQ(widths({create()}).size(), 1U) << "the API serves others";
}

TEST_F(PrintLabels, OfUnknownShipmentsAreNotFound) {
  const auto own = create();
  const auto deleted = create();
  update(deleted, "deleted_at = now()");
  const auto made = other_business().http.post(collection, shipment_body());
  const auto foreign = made.header("Location").substr(collection.size() + 1);
  const auto printed = print({own, std::string(unknown_guid), deleted, foreign, connected()});
  expect_refused(printed, 404, "NOT_FOUND");
  EXPECT_EQ(printed.details().size(), 3U) << printed.text;
  for (const auto* const field : {"shipmentIds[1]", "shipmentIds[2]", "shipmentIds[3]"})
    EXPECT_TRUE(printed.details().contains(field)) << field;
}

TEST_F(PrintLabels, OfAShipmentThatIsGivenTwiceAreRefused) {
  const auto own = create();
  expect_invalid(print({own, create(), own}), {"shipmentIds[2]"});
}

TEST_F(PrintLabels, NeedOneToAHundredShipments) {
  expect_invalid(http.post("/api/v1/labels", json::object{}), {"shipmentIds"});
  expect_invalid(print({}), {"shipmentIds"});
  expect_invalid(print({"1"}), {"shipmentIds[0]"});
  std::vector<std::string> shipments;
  for (int i = 0; i < 100; ++i) shipments.push_back(create());
  EXPECT_EQ(widths(shipments).size(), 100U);
  shipments.push_back(create());
  expect_invalid(print(shipments), {"shipmentIds"});
}

TEST_F(PrintLabels, OfMoreThanFiftyMebibytesAreRefused) {
  // The bytes are not a label, but nothing reads them: their sizes are known before.
  const auto large = [&](std::size_t size) {
    auto shipment = connected();
    purchase(shipment, "bought");
    tenant.sql.rows(
        "insert into purchase_labels (business_id, purchase_id, shipment_id, format, bytes) "
        "select business_id, guid, shipment_id, 'pdf', convert_to(repeat(' ', $2::int), 'UTF8') from "
        "purchases "
        "where shipment_id = $1",
        {shipment, std::to_string(size)});
    return shipment;
  };
  constexpr std::size_t largest = std::size_t{10} << 20U;
  std::vector<std::string> shipments;
  for (int i = 0; i < 5; ++i) shipments.push_back(large(largest));
  expect_refused(print(shipments), 409, "CONFLICT");
  shipments.push_back(create());
  expect_refused(print(shipments), 413, "PAYLOAD_TOO_LARGE");
  shipments.back() = large(1);
  expect_refused(print(shipments), 413, "PAYLOAD_TOO_LARGE");
  EXPECT_ANY_THROW(large(largest + 1)) << "the table takes no larger label";
}

TEST_F(PrintLabels, AreMadeAgainForAnIdempotencyKey) {
  const auto own = create();
  const auto printed = http.post("/api/v1/labels", body_of({own}), {{"Idempotency-Key", "print-1"}});
  const auto again = http.post("/api/v1/labels", body_of({own}), {{"Idempotency-Key", "print-1"}});
  for (const auto& response : {printed, again}) {
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.header("Content-Type"), "application/pdf");
  }
  EXPECT_EQ(tenant.sql.number("select count(*) from idempotency_keys where business_id = $1", {tenant.id}),
            0);
}

TEST_F(PrintLabels, OfOneBusinessAtATimeArePrintedAll) {
  const auto shipment = bought(pdf_of_pages({100}));
  std::vector<std::thread> callers;
  std::vector<int> statuses(6);
  for (int& status : statuses) {
    callers.emplace_back([this, &status, &shipment] {
      status = world.waybill.business(tenant.name).post("/api/v1/labels", body_of({shipment})).status;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(statuses, std::vector<int>(6, 200));
}

}  // namespace
}  // namespace waybill::tests
