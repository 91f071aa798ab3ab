#include <string>
#include <vector>

#include "tests/api/fixtures/shipments_fixture.hpp"

namespace waybill::tests {
namespace {

using Texts = std::vector<std::string>;

class RecordSearch : public ShipmentsFixture {
 protected:
  Response search(std::string_view text) { return http.get("/api/search?q=" + url_encode(text)); }
  Texts titles(std::string_view text) {
    const auto response = search(text);
    EXPECT_EQ(response.status, 200) << response.text;
    return texts(response, "title");
  }
  /// The guids that a search finds, the first first.
  Texts found(std::string_view text) { return texts(search(text), "guid"); }

  std::string order(const json::object& fields = {}) {
    const auto response = http.post("/api/v1/Orders", order_body(fields));
    EXPECT_EQ(response.status, 201) << response.text;
    return text_at(response.data(), "guid");
  }
  std::string named_customer(std::string_view name) {
    return tenant.sql.value(
        "insert into customers (business_id, name, email) values ($1, $2, 'any@example.com') returning guid",
        {tenant.id, std::string(name)});
  }
  std::string order_for(std::string_view name) {
    return order({{"deliveryAddress", {{"name", name}, {"street", "Rua 1"}, {"city", "Porto"}}}});
  }
  std::string product(std::string_view name, std::string_view sku) {
    const auto response =
        http.post("/api/v1/Products", {{"name", name}, {"sku", sku}, {"externalReference", "Ref-P"}});
    EXPECT_EQ(response.status, 201) << response.text;
    return text_at(response.data(), "guid");
  }
  /// Inserts orders whose recipient is `name` followed by a number, a minute apart from `start` on.
  void insert_orders(const std::string& number, const std::string& name, int count,
                     const std::string& start) {
    tenant.sql.rows(
        "insert into orders (business_id, order_number, items, delivery_name, delivery_street, "
        "delivery_city, total_value, currency, created_at, external_reference) "
        "select $1, $2 || n, '[]', $3 || ' ' || n, 'Rua 1', 'Porto', 1, 'EUR', "
        "$5::timestamptz + n * interval '1 minute', 'Ref-' || $2 || n from generate_series(1, $4::int) n",
        {tenant.id, number, name, std::to_string(count), start});
  }
};

TEST_F(RecordSearch, AWholeTextFindsItsRecordWithoutRegardToCase) {
  const auto ada = customer("Ada");
  const auto sold = order({{"orderNumber", "Web-17a"}, {"externalReference", "Shop/42 B"}});
  const auto lamp = product("Desk lamp", "Lamp-Blue-01");
  const auto parcel = create({{"carrierTrackingNumber", "1zAB 99"}, {"externalReference", "Box-7c"}});
  const auto number = text_at(get(parcel), "trackingNumber");
  tenant.sql.exec("update orders set delivery_email = 'Otto.K@Example.com' where guid = '" + sold + "'");
  struct Case {
    std::string text, guid;
  };
  for (const auto& [text, guid] : std::vector<Case>{{sold, sold},
                                                    {parcel, parcel},
                                                    {lamp, lamp},
                                                    {ada, ada},
                                                    {"wEB-17A", sold},
                                                    {" shop/42 b ", sold},
                                                    {"otto.k@example.COM", sold},
                                                    {number, parcel},
                                                    {"1Zab99", parcel},
                                                    {"1z ab 99", parcel},
                                                    {"bOX-7C", parcel},
                                                    {"lAMP-bLUE-01", lamp},
                                                    {"rEF-p", lamp},
                                                    {"aDA@example.com", ada}}) {
    EXPECT_EQ(found(text), Texts{guid}) << text;
  }
  for (const char* const part : {"web-17", "hop/42 b", "otto.k@example.co", "lamp-blue", "ox-7c"})
    EXPECT_EQ(found(part), Texts{}) << part;
}

TEST_F(RecordSearch, BlanksAroundTextsThatSqlWroteDoNotMatter) {
  const auto sold = tenant.insert_order(
      {{"order_number", "' ERP-1 '"}, {"external_reference", "'Ref 9 '"}, {"tags", "'[\" hot \"]'"}});
  for (const char* const text : {"erp-1", " ERP-1", "ref 9"}) EXPECT_EQ(found(text), Texts{sold}) << text;
  const auto parcel = create();
  update(parcel, "external_reference = ' Ref 8', tags = '[\" hot \"]'");
  EXPECT_EQ(found("ref 8"), Texts{parcel});
  EXPECT_EQ(texts(http.get("/api/v1/shipments?externalReference=Ref%208&tag=hot"), "guid"), Texts{parcel});
}

TEST_F(RecordSearch, BlanksOfAnyKindThatArePastedWithATextDoNotMatter) {
  const auto sold = order({{"orderNumber", "N-77 A"}, {"externalReference", "Ref-77"}});
  const auto parcel = create({{"carrierTrackingNumber", "1Z999AA1"}});
  const auto zora = named_customer("Zora Quimby");
  const auto listed = [&](std::string_view list, std::string_view text) {
    return texts(http.get("/api/v1/" + std::string(list) + url_encode(text)), "guid");
  };
  for (const std::string space : {" ", "\t", "\u00a0", "\u2009", "\u202f", "\u3000", "\u2028"}) {
    const std::string number = space + "N-77" + space + "A" + space;
    EXPECT_EQ(found(number), Texts{sold}) << number;
    EXPECT_EQ(listed("Orders?%24search=", number), Texts{sold}) << number;
    EXPECT_EQ(found(space + "1Z" + space + "999AA1"), Texts{parcel});
    for (const char* const list : {"shipments?search=", "shipments?trackingNumber="})
      EXPECT_EQ(listed(list, space + "1Z" + space + "999AA1"), Texts{parcel}) << list << number;
    EXPECT_EQ(listed("Customers?%24search=", "Zora" + space + "Quimby"), Texts{zora});
  }
  for (const std::string hidden : {"\u200b", "\ufeff", "\u00ad", "\u200e", "\u2060"}) {
    EXPECT_EQ(found(hidden + "N-" + hidden + "77 A"), Texts{sold});
    EXPECT_EQ(found("ref" + hidden + "-77" + hidden), Texts{sold});
    EXPECT_EQ(listed("Orders?%24search=", hidden + "N-" + hidden + "77"), Texts{sold});
    EXPECT_EQ(found("1Z99" + hidden + "9AA1"), Texts{parcel});
    for (const char* const list : {"shipments?search=", "shipments?trackingNumber="})
      EXPECT_EQ(listed(list, "1Z99" + hidden + "9AA1" + hidden), Texts{parcel}) << list;
    EXPECT_EQ(listed("Customers?%24search=", "Quim" + hidden + "by"), Texts{zora});
    expect_invalid(search(hidden + "N" + hidden), {"q"});
  }
}

TEST_F(RecordSearch, ATextWithBlanksWithinItIsFoundAsItIsStored) {
  const auto spaced = order({{"orderNumber", "N\u00a077"}});
  const auto persian = named_customer("می\u200cخواهم");
  EXPECT_EQ(found("N\u00a077"), Texts{spaced});
  EXPECT_EQ(found("می\u200cخواهم"), Texts{persian});
  EXPECT_EQ(texts(http.get("/api/v1/Customers?%24search=" + url_encode("می\u200cخواهم")), "guid"),
            Texts{persian});
}

TEST_F(RecordSearch, TheSkuOfAVariantFindsItsProduct) {
  const auto shirt = product("Shirt", "TS");
  const auto response =
      http.post("/api/v1/Products/" + shirt + "/variants", {{"name", "Red"}, {"sku", "Ts-Red"}});
  ASSERT_EQ(response.status, 201) << response.text;
  EXPECT_EQ(found("tS-rED"), Texts{shirt});
}

TEST_F(RecordSearch, ANameIsFoundByTheBeginningsOfItsWords) {
  const auto jean = order_for("Jean-Luc Öztürk");
  const auto name_of_parcel =
      create({{"recipient", {{"name", "Émile O'Neil"}, {"street", "Rua 1"}, {"city", "Porto"}}}});
  const auto lamp = product("Tall floor lamp", "L-1");
  const auto flow = tenant.webhook("http://127.0.0.1:1", "customer_created");
  tenant.sql.rows("update workflows set name = 'Notify Warehouse' where guid = $1", {flow});
  struct Case {
    std::string text;
    Texts guids;
  };
  for (const auto& [text, guids] : std::vector<Case>{{"jean", {jean}},
                                                     {"luc", {jean}},
                                                     {"ÖZT", {jean}},
                                                     {"özt je", {jean}},
                                                     {"jean-luc öztürk", {jean}},
                                                     {"jean mar", {}},
                                                     {"ean", {}},
                                                     {"je", {}},
                                                     {"ozt", {}},
                                                     {"émi o'nei", {name_of_parcel}},
                                                     {"emi", {}},
                                                     {"FLOOR l", {lamp}},
                                                     {"ware", {flow}}}) {
    EXPECT_EQ(found(text), guids) << text;
  }
}

TEST_F(RecordSearch, ANameIsFoundByBothFormsOfItsSigmas) {
  const auto nikos = order_for("Νίκος Παππάς"), capitals = order_for("ΓΙΏΡΓΟΣ ΠΑΠΠΆΣ");
  EXPECT_EQ(found("ΝΊΚΟΣ"), Texts{nikos});
  EXPECT_EQ(found("νίκος παππάς"), Texts{nikos});
  EXPECT_EQ(found("Γιώργος"), Texts{capitals});
  EXPECT_EQ(found("παππάς"), (Texts{capitals, nikos}));
  EXPECT_EQ(found("νίκοι"), Texts{}) << "another letter";
  EXPECT_EQ(found("νίκο παππ"), Texts{nikos});
}

TEST_F(RecordSearch, AnEntryNamesTheRecord) {
  const auto guid = order_for("Ada Lovelace");
  const auto entry = at(search("lovelace").data(), "0");
  EXPECT_EQ(entry, json::value({{"type", "order"},
                                {"guid", guid},
                                {"title", text_at(http.get("/api/v1/Orders/" + guid).data(), "orderNumber")},
                                {"subtitle", "Ada Lovelace, Porto"},
                                {"status", "pending"}}));
}

TEST_F(RecordSearch, WholeTextsComeFirstThenTheNewestAndTwentyAtMost) {
  const auto lamp = product("Old lamp", "Maria");
  insert_orders("A-", "Maria", 15, "2026-01-01");
  tenant.sql.rows(
      "insert into customers (business_id, name, created_at) select $1, 'Maria ' || n, "
      "timestamptz '2026-02-01' + n * interval '1 minute' from generate_series(0, 7) n",
      {tenant.id});
  const auto response = search("maria");
  ASSERT_EQ(response.data().as_array().size(), 20);
  EXPECT_EQ(text_at(response.data(), "0.guid"), lamp);
  const auto all = texts(response, "title");
  EXPECT_EQ(all.at(1), "Maria 7");
  EXPECT_EQ(all.at(8), "Maria 0");
  EXPECT_EQ(all.at(9), "A-15");
  EXPECT_EQ(all.at(19), "A-5");
}

TEST_F(RecordSearch, AWholeNameOfACustomerProductOrWorkflowComesBeforeNewerRecords) {
  const auto grete = tenant.sql.value(
      "insert into customers (business_id, name, created_at) values ($1, 'Grete Sonderfall', '2025-01-01') "
      "returning guid",
      {tenant.id});
  const auto lamp = product("grete SONDERFALL", "L-1");
  const auto flow = tenant.webhook("http://127.0.0.1:1", "customer_created");
  tenant.sql.rows("update workflows set name = 'Grete Sonderfall' where guid = $1", {flow});
  insert_orders("A-", "Grete Sonderfall", 25, "2026-01-01");
  for (const char* const text : {"Grete Sonderfall", " gRETE sonderfall "}) {
    auto all = found(text);
    ASSERT_EQ(all.size(), 20) << text;
    all.resize(3);
    EXPECT_EQ(all, (Texts{flow, lamp, grete})) << text;
  }
  EXPECT_EQ(titles("grete sonder").front(), "Grete Sonderfall") << "the workflow, which is the newest";
}

TEST_F(RecordSearch, TheRecordsOfOneTypeLeaveRoomForThoseOfOthers) {
  tenant.sql.rows(
      "insert into customers (business_id, name, email, created_at) select $1, 'Maria ' || n, "
      "n || '@example.com', timestamptz '2025-01-01' + n * interval '1 minute' from generate_series(1, 6) n",
      {tenant.id});
  insert_orders("A-", "Maria", 25, "2026-01-01");
  auto all = titles("maria");
  ASSERT_EQ(all.size(), 20);
  EXPECT_EQ(all.front(), "A-25");
  EXPECT_EQ(all.at(15), "A-10");
  EXPECT_EQ(Texts(all.begin() + 16, all.end()), (Texts{"Maria 6", "Maria 5", "Maria 4", "Maria 3"}));

  tenant.sql.rows("update orders set delivery_email = '2@example.com' where business_id = $1", {tenant.id});
  all = titles("2@example.com");
  ASSERT_EQ(all.size(), 20);
  EXPECT_EQ(all.back(), "Maria 2") << "the person whose address all orders have";
}

TEST_F(RecordSearch, RecordsOfOthersDoNotTakeThePlacesOfThoseThatHaveTheWholeText) {
  insert_orders("A-", "Somebody", 25, "2025-01-01");
  tenant.sql.rows("update orders set external_reference = 'Maria' where business_id = $1", {tenant.id});
  for (const char* const name : {"Maria One", "Maria Two"})
    tenant.sql.rows("insert into customers (business_id, name) values ($1, $2)", {tenant.id, name});
  const auto all = titles("maria");
  ASSERT_EQ(all.size(), 20);
  EXPECT_EQ(all.front(), "A-25");
  EXPECT_EQ(all.back(), "A-6");
}

TEST_F(RecordSearch, ATypeRestrictsASearchToItsRecords) {
  const auto ada = customer("Maria");
  const auto lamp = product("Maria lamp", "L-1");
  const auto parcel = create({{"recipient", {{"name", "Maria"}, {"street", "Rua 1"}, {"city", "Porto"}}}});
  const auto flow = tenant.webhook("http://127.0.0.1:1", "customer_created");
  tenant.sql.rows("update workflows set name = 'Maria' where guid = $1", {flow});
  insert_orders("A-", "Maria", 25, "2027-01-01");
  const auto of_type = [&](const std::string& type) { return http.get("/api/search?q=maria&type=" + type); };
  EXPECT_EQ(texts(of_type("customer"), "guid"), Texts{ada});
  EXPECT_EQ(texts(of_type("product"), "guid"), Texts{lamp});
  EXPECT_EQ(texts(of_type("shipment"), "guid"), Texts{parcel});
  EXPECT_EQ(texts(of_type("workflow"), "guid"), Texts{flow});
  const auto orders = texts(of_type("order"), "title");
  ASSERT_EQ(orders.size(), 20);
  EXPECT_EQ(orders.front(), "A-25");
  EXPECT_EQ(orders.back(), "A-6");
  for (const char* const type : {"Order", "run"}) expect_invalid(of_type(type), {"type"});
}

TEST_F(RecordSearch, MoreThanAThousandRecordsAreSearchedByTheIndexes) {
  insert_orders("Old-", "Özge Rare", 3, "2025-01-01");
  insert_orders("New-", "Maria Common", 1100, "2026-01-01");
  EXPECT_EQ(titles("özg rar"), (Texts{"Old-3", "Old-2", "Old-1"}));
  for (const char* const spelling : {"Old-2", "OLD-2", "old-2", "oLD-2"})
    EXPECT_EQ(titles(spelling), Texts{"Old-2"}) << spelling;
  EXPECT_EQ(titles("rEF-oLD-3"), Texts{"Old-3"});
  const auto common = titles("common");
  ASSERT_EQ(common.size(), 20);
  EXPECT_EQ(common.front(), "New-1100");
  EXPECT_EQ(common.back(), "New-1081");
  EXPECT_EQ(titles("common 7 m"),
            (Texts{"New-799", "New-798", "New-797", "New-796", "New-795", "New-794", "New-793",
                   "New-792", "New-791", "New-790", "New-789", "New-788", "New-787", "New-786",
                   "New-785", "New-784", "New-783", "New-782", "New-781", "New-780"}));
}

TEST_F(RecordSearch, PatternsAreOrdinaryText) {
  order_for("Ada");
  order_for("100%_\\ sure");
  for (const std::string text : {"%%", "___", "\\\\", "a%a", "[[:alpha:]]", ".*.*", "'; --", "(((", "ad_"})
    EXPECT_EQ(found(text), Texts{}) << text;
  EXPECT_EQ(found("100%_\\").size(), 1U);
  EXPECT_EQ(search(std::string(200, '%')).status, 200);
  std::string words;
  while (words.size() < 198) words += "abc ";
  EXPECT_EQ(search(words).status, 200);
}

TEST_F(RecordSearch, ATextHas2To200Characters) {
  const auto guid = order_for(std::string(200, 'x'));
  EXPECT_EQ(found(std::string(200, 'x')), Texts{guid});
  EXPECT_EQ(search("ab").status, 200);
  for (const std::string& text : {std::string(201, 'x'), std::string("a"), std::string(" a  "),
                                  std::string("  "), std::string(), std::string("a\0b", 3)}) {
    expect_invalid(search(text), {"q"});
  }
  expect_invalid(http.get("/api/search"), {"q"});
}

TEST_F(RecordSearch, DeletedRecordsAndThoseOfOthersAreNotFound) {
  const auto guid = order_for("Grace Hopper");
  Tenant& other = other_business();
  EXPECT_TRUE(other.http.get("/api/search?q=hopper").data().as_array().empty());
  EXPECT_TRUE(other.http.get("/api/search?q=" + guid).data().as_array().empty());
  EXPECT_EQ(found("hopper"), Texts{guid});
  tenant.sql.exec("update orders set deleted_at = now() where guid = '" + guid + "'");
  EXPECT_EQ(found("hopper"), Texts{});
  EXPECT_EQ(found(guid), Texts{});
}

}  // namespace
}  // namespace waybill::tests
