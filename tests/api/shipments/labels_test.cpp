#include <fstream>

#include "tests/api/fixtures/shipments_fixture.hpp"

namespace waybill::tests {
namespace {

class LabelsTest : public ShipmentsFixture {
 protected:
  /// A label's page and the text that a scanner reads.
  struct Read {
    std::string text;
    std::string codes;
    std::string size;
  };

  Response fetch(std::string_view guid) { return http.get(path_of(guid, "/label")); }

  Read read(const Response& label) {
    EXPECT_EQ(label.status, 200) << label.text.substr(0, 500);
    EXPECT_EQ(label.header("Content-Type"), "application/pdf");
    EXPECT_TRUE(label.text.starts_with("%PDF-"));
    const auto file = (directory / "label.pdf").string();
    std::ofstream(file, std::ios::binary) << label.text;
    Read seen;
    seen.text = run({"pdftotext", "-layout", file, "-"}).standard_output;
    seen.size = run({"pdfinfo", file}).standard_output;
    const auto image = (directory / "label").string();
    EXPECT_EQ(run({"pdftoppm", "-r", "200", "-png", "-singlefile", file, image}).status, 0);
    seen.codes = run({"zbarimg", "-q", image + ".png"}).standard_output;
    return seen;
  }

  static bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }

  TempDirectory directory;
};

TEST_F(LabelsTest, AScannerReadsTheTrackingNumberFromBothBarcodes) {
  const auto guid = create();
  const auto number = text_at(get(guid), "trackingNumber");
  const auto label = fetch(guid);
  const auto seen = read(label);
  EXPECT_TRUE(contains(seen.codes, "CODE-128:" + number)) << seen.codes;
  EXPECT_TRUE(contains(seen.codes, "QR-Code:" + number)) << seen.codes;
  EXPECT_TRUE(contains(seen.size, "297.638 x 419.528 pts")) << "A6: " << seen.size;
  EXPECT_TRUE(contains(seen.size, "Pages:           1")) << seen.size;
  EXPECT_EQ(label.header("Content-Disposition"), "inline; filename=\"" + number + ".pdf\"");
}

TEST_F(LabelsTest, ALabelShowsSenderRecipientPackageAndService) {
  const auto guid = create({{"carrierId", carrier("dhl_express")},
                            {"serviceLevel", "express"},
                            {"packages", {{{"weight", 1}}, {{"weight", 2}}}},
                            {"recipient",
                             {{"name", "Ada Lovelace"},
                              {"street", "Main St 1"},
                              {"city", "New York"},
                              {"state", "NY"},
                              {"postalCode", "10001"},
                              {"country", "US"},
                              {"phone", "+1 212"}}}});
  const auto seen = read(fetch(guid));
  for (const std::string part :
       {"DHL Express", "Express Worldwide", "Engines Ltd", "Rua 1", "Lisbon", "Ada Lovelace", "Main St 1",
        "New York, NY 10001", "UNITED STATES OF AMERICA", "+1 212", "2 packages · 3 kg"}) {
    EXPECT_TRUE(contains(seen.text, part)) << part << " in\n" << seen.text;
  }
  EXPECT_TRUE(contains(seen.text, text_at(get(guid), "trackingNumber")));
}

TEST_F(LabelsTest, NamesBeyondLatin1ArePrinted) {
  const auto with_name = [&](std::string_view name) {
    return read(fetch(
        create({{"recipient", {{"name", name}, {"street", "ul. Świętokrzyska 12"}, {"city", "Łódź"}}}})));
  };
  for (const std::string name : {"Łukasz Żółć", "Ωμέγα", "Привет", "Ñandú", "Þórður"}) {
    const auto seen = with_name(name);
    EXPECT_TRUE(contains(seen.text, name)) << seen.text;
    EXPECT_TRUE(contains(seen.text, "Łódź")) << seen.text;
  }
  const auto seen = with_name("山田太郎 \U0001F600 \u202E\u0007 x");
  EXPECT_TRUE(contains(seen.text, "山田太郎 x")) << seen.text;
  EXPECT_TRUE(contains(seen.codes, "CODE-128"));
}

TEST_F(LabelsTest, TwoRecipientsAreTwoPictures) {
  const auto picture = [&](std::string_view name) {
    const auto guid =
        create({{"recipient", {{"name", name}, {"street", "1-1"}, {"city", "東京"}, {"country", "JP"}}}});
    const auto file = (directory / "picture").string();
    std::ofstream(file + ".pdf", std::ios::binary) << fetch(guid).text;
    // The part of the recipient, without barcodes.
    EXPECT_EQ(run({"pdftoppm", "-r", "110", "-gray", "-x", "20", "-y", "160", "-W", "420", "-H", "100",
                   "-singlefile", file + ".pdf", file})
                  .status,
              0);
    std::ifstream image(file + ".pgm", std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(image), {});
  };
  EXPECT_NE(picture("山田太郎"), picture("高橋花子"));
  EXPECT_NE(picture("김철수"), picture("이영희"));
  EXPECT_NE(picture("สมชาย"), picture("สมหญิง"));
}

TEST_F(LabelsTest, APlaceMayLackAnyPart) {
  const auto guid = create();
  const std::string nowhere =
      "recipient_name = null, recipient_street = null, recipient_city = null, recipient_state = null, "
      "recipient_postal_code = null, recipient_country = null";
  for (const std::string part :
       {"", "recipient_name = 'Ada'", "recipient_country = 'SG'", "recipient_country = 'Atlantis'",
        "recipient_street = E'1 Raffles Place\\r\\nLevel 20\\n\\n'", "recipient_city = 'Dublin'",
        "recipient_postal_code = '10115'",
        "recipient_name = U&'Ada \\+01F600', recipient_city = U&'\\200B'"}) {
    update(guid, nowhere);
    if (!part.empty()) update(guid, part);
    EXPECT_TRUE(contains(read(fetch(guid)).codes, "CODE-128")) << part;
  }
}

TEST_F(LabelsTest, AFieldOfWhichTheLabelWouldShowNothingIsRefusedByName) {
  const auto guid = create();
  struct Case {
    std::string set, field;
  };
  for (const auto& [set, field] :
       std::vector<Case>{{"recipient_name = U&'\\+01F600'", "recipient.name"},
                         {"recipient_company = U&'\\+01F600 \\F8FF'", "recipient.company"},
                         {"recipient_street = U&'\\+01F600'", "recipient.street"},
                         {"recipient_city = U&'\\+01F600'", "recipient.city"},
                         {"sender_name = U&'\\+01F600'", "sender.name"},
                         {"sender_city = U&'\\+0F0001'", "sender.city"}}) {
    const auto other = create();
    update(other, set);
    const auto refused = fetch(other);
    expect_refused(refused, 409, "CONFLICT");
    EXPECT_TRUE(refused.details().contains(field)) << refused.text;
    const auto printed = http.post("/api/v1/labels", {{"shipmentIds", json::array{guid, other}}});
    expect_refused(printed, 409, "CONFLICT");
    EXPECT_TRUE(contains(text_at(json::value(printed.details()), "shipmentIds[1]"), field)) << printed.text;
  }
  update(guid,
         "recipient_name = U&'Ada \\+01F600', recipient_company = '', recipient_city = U&'\\+01F600 Porto'");
  EXPECT_TRUE(contains(read(fetch(guid)).text, "Ada"));
}

TEST_F(LabelsTest, AScriptWithoutAFontIsRefusedByName) {
  const std::string no_fonts = directory / "fonts.conf";
  std::ofstream(no_fonts) << "<fontconfig></fontconfig>";
  const Waybill api(world.waybill.database_url(), {.command = "api",
                                                   .environment = {{"FONTCONFIG_FILE", no_fonts}},
                                                   .secret_key_file = world.waybill.secret_key_file()});
  auto client = api.business(tenant.name);
  const auto with_name = [&](std::string_view name) {
    return client.get(
        path_of(create({{"recipient", {{"name", name}, {"street", "1"}, {"city", "Łódź"}}}}), "/label"));
  };
  const auto refused = with_name("山田さくら");
  expect_refused(refused, 409, "CONFLICT");
  EXPECT_TRUE(contains(refused.text, "Han (U+5C71), Hiragana (U+3055)")) << refused.text;
  EXPECT_TRUE(contains(refused.text, "fonts-noto-cjk")) << refused.text;
  expect_refused(with_name("สมชาย"), 409, "CONFLICT");
  for (const std::string name : {"Łukasz", "Ωμέγα", "Привет \U0001F600", "𝒜𝒹𝒶", "Ａｄａ"}) {
    const auto seen = read(with_name(name));
    EXPECT_TRUE(contains(seen.codes, "CODE-128")) << name;
  }
  EXPECT_TRUE(contains(read(with_name("Ａｄａ １２")).text, "Ada 12"));
}

TEST_F(LabelsTest, LongTextsAreCutAndTheBarcodeStaysReadable) {
  json::object long_address{{"name", std::string(200, 'W')},       {"street", std::string(200, 'm')},
                            {"city", std::string(200, 'W')},       {"state", std::string(200, 'W')},
                            {"postalCode", std::string(200, '1')}, {"country", std::string(200, 'W')},
                            {"phone", std::string(200, '1')}};
  const auto guid = create(
      {{"sender", long_address}, {"recipient", long_address}, {"serviceLevel", std::string(200, 'W')}});
  const auto seen = read(fetch(guid));
  EXPECT_TRUE(contains(seen.codes, "CODE-128:" + text_at(get(guid), "trackingNumber"))) << seen.codes;
  EXPECT_TRUE(contains(seen.codes, "QR-Code:")) << seen.codes;
  EXPECT_TRUE(contains(seen.text, "…"));
}

TEST_F(LabelsTest, ALabelIsMadeWithTheShipmentAndFollowsItsChanges) {
  const auto response =
      http.post("/api/v1/Orders/" + tenant.create_order() + "/shipment", {{"generateLabel", true}});
  ASSERT_EQ(response.status, 201) << response.text;
  const auto guid = text_at(response.data(), "guid");
  const auto stored_label = [&] {
    return tenant.sql.value("select encode(pdf, 'hex') from shipment_labels where shipment_id = $1", {guid});
  };
  ASSERT_FALSE(stored_label().empty());
  const auto label = fetch(guid);
  EXPECT_EQ(label.text.size() * 2, stored_label().size()) << "the stored label";
  EXPECT_TRUE(contains(read(label).codes, "CODE-128:" + text_at(response.data(), "trackingNumber")));

  EXPECT_EQ(http.put(path_of(guid), {{"recipient", {{"name", "Grace Hopper"}}}}).status, 200);
  EXPECT_TRUE(contains(read(fetch(guid)).text, "Grace Hopper")) << "not the stored label";
  update(guid, "status = 'delivered'");
  EXPECT_TRUE(stored_label().empty()) << "a final shipment keeps no label";
  EXPECT_EQ(fetch(guid).status, 200);
}

TEST_F(LabelsTest, ATrackingNumberThatCannotBeABarcodeIsRefused) {
  const auto with_number = [&](const std::string& number) {
    return fetch(tenant.sql.value(
        "insert into shipments (business_id, tracking_number) values ($1, $2) returning guid",
        {tenant.id, number}));
  };
  EXPECT_EQ(with_number("1Z 999 AA1 01 2345 6784").status, 200);
  expect_refused(with_number("東京"), 409, "CONFLICT");
  expect_refused(with_number(std::string(60, 'W')), 409, "CONFLICT");
  expect_refused(with_number(std::string(200, 'W')), 409, "CONFLICT");
}

TEST_F(LabelsTest, HeadHasTheLengthAndAnErrorIsJson) {
  const auto guid = create();
  const auto head = http.request("HEAD", path_of(guid, "/label"));
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Type"), "application/pdf");
  EXPECT_EQ(head.header("Content-Length"), std::to_string(fetch(guid).text.size()));
  const auto missing = fetch(unknown_guid);
  expect_refused(missing, 404, "NOT_FOUND");
  EXPECT_EQ(missing.header("Content-Type"), "application/json");
}

}  // namespace
}  // namespace waybill::tests
