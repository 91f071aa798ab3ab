#include <atomic>
#include <thread>

#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/receiver.hpp"

namespace waybill::tests {
namespace {

class ProductsTest : public ApiTest {
 protected:
  static std::string path_of(std::string_view guid, std::string_view more = "") {
    return "/api/v1/Products/" + std::string(guid) + std::string(more);
  }

  std::string create(const json::object& fields = {}) {
    json::object body{{"name", "Lamp"}, {"sku", "LAMP-" + std::to_string(++made_)}};
    for (const auto& [key, value] : fields) body[key] = value;
    const auto response = http.post("/api/v1/Products", body);
    EXPECT_EQ(response.status, 201) << response.text;
    return text_at(response.data(), "guid");
  }

  std::string add_variant(std::string_view product, const json::object& body) {
    const auto response = http.post(path_of(product, "/variants"), body);
    EXPECT_EQ(response.status, 201) << response.text;
    return text_at(response.data(), "guid");
  }

  void generate_skus(bool generate = true) {
    EXPECT_EQ(http.patch("/api/v1/Products/settings", {{"autoGenerateSku", generate}}).status, 200);
  }

  std::vector<std::string> reserved() {
    return tenant.sql.column("select sku from product_skus where business_id = $1 order by sku", {tenant.id});
  }

 private:
  int made_ = 0;
};

using VariantsTest = ProductsTest;
using SkusTest = ProductsTest;
using ProductSettingsTest = ProductsTest;

const json::object whole_product{
    {"name", "Lamp"},          {"sku", "L-1"},
    {"description", "bright"}, {"barcode", "4006381333931"},
    {"price", 19.99},          {"cost", 7.5},
    {"weight", 1.25},          {"dimensions", {{"length", 10}, {"width", 20.5}, {"height", 5}}},
    {"hsCode", "94052100"},    {"originCountry", "PT"},
    {"customsValue", 12.5}};

TEST_F(SkusTest, BlanksAroundASkuDoNotMakeItAnother) {
  const auto guid = create({{"sku", "\u00a0MUG  1\n"}});
  EXPECT_EQ(text_at(http.get(path_of(guid)).data(), "sku"), "MUG 1");
  for (const auto* const sku : {"MUG 1", " MUG 1", "MUG\u00a01", "MUG\t 1\ufeff"}) {
    EXPECT_EQ(http.post("/api/v1/Products", {{"name", "Mug"}, {"sku", sku}}).status, 409) << sku;
    EXPECT_EQ(http.post(path_of(guid, "/variants"), {{"name", "Mug"}, {"sku", sku}}).status, 409) << sku;
  }
  expect_invalid(http.post("/api/v1/Products", {{"name", "Mug"}, {"sku", "\u00a0\u200b"}}), {"sku"});
}

TEST_F(ProductsTest, CreatingReturnsGuidNameAndSku) {
  const auto response = http.post("/api/v1/Products", whole_product);
  ASSERT_EQ(response.status, 201) << response.text;
  const auto guid = text_at(response.data(), "guid");
  EXPECT_EQ(response.header("Location"), path_of(guid));
  EXPECT_EQ(response.data(), json::value({{"guid", guid}, {"name", "Lamp"}, {"sku", "L-1"}}));

  auto whole = http.get(path_of(guid)).data().as_object();
  EXPECT_FALSE(text_at(whole, "createdAt").empty());
  whole.erase("createdAt");
  auto expected = whole_product;
  expected["guid"] = guid;
  for (const auto* const name : {"externalReference", "metadata"}) expected[name] = nullptr;
  expected["tags"] = json::array();
  expected["variants"] = json::array();
  EXPECT_EQ(json::value(whole), json::value(expected));

  auto entry = at(http.get("/api/v1/Products").data(), "0").as_object();
  EXPECT_EQ(entry.at("variantCount"), 0);
  entry.erase("variantCount");
  expected.erase("variants");
  EXPECT_EQ(json::value(entry), json::value(expected)) << "variants and createdAt are not in lists";
}

TEST_F(ProductsTest, ValuesForCustomsAreStoredAsCustomsTakeThem) {
  const auto guid = create({{"hsCode", " 9405.21 00"}, {"originCountry", "Germany"}, {"customsValue", 3.5}});
  const auto product = http.get(path_of(guid)).data();
  EXPECT_EQ(text_at(product, "hsCode"), "94052100");
  EXPECT_EQ(text_at(product, "originCountry"), "DE");
  EXPECT_EQ(at(product, "customsValue"), 3.5);
  EXPECT_EQ(http.put(path_of(guid), {{"originCountry", "PRT"}, {"hsCode", nullptr}}).status, 200);
  EXPECT_EQ(text_at(http.get(path_of(guid)).data(), "originCountry"), "PT");
  EXPECT_TRUE(http.get(path_of(guid)).data().at("hsCode").is_null());
  EXPECT_EQ(
      at(http.get("/api/v1/Products?$filter=" + url_encode("originCountry eq 'PT'")).body, "totalCount"), 1);
  expect_invalid(
      http.put(path_of(guid), {{"hsCode", "9405"}, {"originCountry", "Atlantis"}, {"customsValue", -1}}),
      {"hsCode", "originCountry", "customsValue"});
  expect_invalid(http.put(path_of(guid), {{"hsCode", 940521}, {"originCountry", ""}}),
                 {"hsCode", "originCountry"});
}

TEST_F(ProductsTest, BadFieldsAreReportedTogether) {
  expect_invalid(http.post("/api/v1/Products", json::object{}), {"name", "sku"});
  expect_invalid(
      http.post("/api/v1/Products", {{"name", std::string(201, 'n')},
                                     {"sku", " "},
                                     {"description", std::string(10'001, 'd')},
                                     {"barcode", 1},
                                     {"price", 1.999},
                                     {"cost", -1},
                                     {"weight", -0.1},
                                     {"dimensions", {{"length", "1"}, {"width", -1}, {"depth", 1}}},
                                     {"colour", "red"}}),
      {"name", "sku", "description", "barcode", "price", "cost", "weight", "dimensions.length",
       "dimensions.width", "dimensions.depth", "colour"});
  expect_invalid(
      http.post("/api/v1/Products", {{"name", "x"}, {"sku", "s"}, {"price", 1e12}, {"weight", 1e9 + 1}}),
      {"price", "weight"});
  expect_invalid(http.request_text("POST", "/api/v1/Products", "[1]"), {"body"});
  expect_invalid(http.request_text("POST", "/api/v1/Products", "{"), {"body"});
}

TEST_F(ProductsTest, PutKeepsAbsentFieldsAndClearsNullFields) {
  const auto guid = create(whole_product);
  const auto response =
      http.put(path_of(guid), {{"name", "Lamp 2"}, {"cost", nullptr}, {"dimensions", {{"height", 6}}}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.data(), json::value({{"guid", guid}, {"name", "Lamp 2"}}));
  const auto whole = http.get(path_of(guid)).data();
  EXPECT_TRUE(at(whole, "cost").is_null());
  EXPECT_EQ(at(whole, "price").to_number<double>(), 19.99);
  EXPECT_EQ(at(whole, "dimensions"), json::value({{"length", 10}, {"width", 20.5}, {"height", 6}}));
  const auto events = events_of(guid);
  EXPECT_EQ(http.put(path_of(guid), whole).status, 200) << "a GET response can be PUT back";
  EXPECT_EQ(http.put(path_of(guid), at(http.get("/api/v1/Products").data(), "0")).status, 200)
      << "a list entry as well";
  EXPECT_EQ(events_of(guid), events) << "without any change";
  EXPECT_EQ(http.put(path_of(guid), {{"dimensions", nullptr}}).status, 200);
  EXPECT_TRUE(http.get(path_of(guid)).data().at("dimensions").is_null());
  expect_invalid(http.put(path_of(guid), {{"name", nullptr}, {"sku", ""}}), {"name", "sku"});
  expect_invalid(http.put(path_of(guid), {{"sku", nullptr}}), {"sku"});
  expect_invalid(http.put(path_of(guid), {{"name", " "}, {"sku", " "}}), {"name", "sku"});
}

TEST_F(ProductsTest, AProductThatSqlWroteCanBePutBackAndChangesNothing) {
  tenant.write_long_values();  // as in an earlier release, also with an empty SKU
  const auto guid = create(whole_product);
  tenant.sql.rows(
      "update products set sku = '', customs_value = 1.234, metadata = "
      "'{\"two words\": 1}' where guid = $1",
      {guid});
  const auto body = http.get(path_of(guid)).data();
  const auto events = events_of(guid);
  const auto response = http.put(path_of(guid), body);
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(http.get(path_of(guid)).data(), body);
  EXPECT_EQ(events_of(guid), events);
  expect_invalid(http.put(path_of(guid), {{"customsValue", 1.235}}), {"customsValue"});
}

TEST_F(ProductsTest, MeasuresThatSqlWroteAndNobodyChangesKeepAllTheirDigits) {
  const auto product = create({{"weight", 1}, {"dimensions", {{"length", 2}}}});
  tenant.sql.rows("update products set weight = 1 / 3.0, length = 1e-310, width = 2 / 3.0 where guid = $1",
                  {product});
  const auto stored = [&] {
    return tenant.sql.value(
        "select concat_ws(' ', weight, length = 1e-310, width, height) from products where guid = $1",
        {product});
  };
  const auto before = stored();
  const auto read = http.get(path_of(product));
  const auto begin = read.text.find("\"data\":") + 7;
  const auto data = read.text.substr(begin, read.text.rfind(",\"success\"") - begin);
  const auto events = tenant.sql.number("select count(*) from events where entity_id = $1", {product});
  const auto put = http.request_text("PUT", path_of(product), data);
  EXPECT_EQ(put.status, 200) << put.text;
  EXPECT_EQ(stored(), before);
  EXPECT_EQ(tenant.sql.number("select count(*) from events where entity_id = $1", {product}), events);
  ASSERT_EQ(http.put(path_of(product), {{"weight", 0.33}, {"dimensions", {{"height", 3}}}}).status, 200);
  EXPECT_EQ(stored(), "0.33 t 0.66666666666666666667 3");
}

TEST_F(ProductsTest, MoneyIsExact) {
  const auto guid = create({{"price", 999999999999.99}, {"cost", 0.1}});
  const auto text = http.get(path_of(guid)).text;
  EXPECT_NE(text.find(R"("price":999999999999.99,"cost":0.1,)"), std::string::npos) << text;
}

TEST_F(ProductsTest, DeletedProductsAreGoneAndTheirSkusFree) {
  const auto guid = create({{"sku", "A"}});
  add_variant(guid, {{"name", "red"}, {"sku", "B"}});
  const auto response = http.del(path_of(guid));
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_FALSE(response.body.as_object().contains("data"));
  expect_refused(http.get(path_of(guid)), 404, "NOT_FOUND");
  expect_refused(http.put(path_of(guid), {{"name", "x"}}), 404, "NOT_FOUND");
  expect_refused(http.del(path_of(guid)), 404, "NOT_FOUND");
  expect_refused(http.post(path_of(guid, "/variants"), {{"name", "x"}, {"sku", "x"}}), 404, "NOT_FOUND");
  EXPECT_EQ(at(http.get("/api/v1/Products").body, "totalCount"), 0);
  create({{"sku", "B"}});
  create({{"sku", "A"}});
}

TEST_F(ProductsTest, FiltersSortsAndSearchesFindProducts) {
  create({{"name", "Desk lamp"}, {"sku", "A-1"}, {"price", 20}, {"dimensions", {{"length", 3}}}});
  create({{"name", "Bulb"}, {"sku", "A-2"}, {"price", 2.5}, {"description", "for the LAMP"}});
  create({{"name", "Chair"}, {"sku", "B-1"}, {"barcode", "4006381333931"}});
  const auto names = [&](std::string_view parameter, std::string_view value) {
    const auto response = http.get("/api/v1/Products?" + std::string(parameter) + "=" + url_encode(value));
    EXPECT_EQ(response.status, 200) << response.text;
    return texts(response, "name");
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("$filter", "sku eq 'A-2'"), Names{"Bulb"});
  EXPECT_EQ(names("$filter", "price gt 2.5 and price le 20"), Names{"Desk lamp"});
  EXPECT_EQ(names("$filter", "dimensions/length eq 3"), Names{"Desk lamp"});
  EXPECT_EQ(names("$filter", "startswith(sku, 'A-')"), (Names{"Bulb", "Desk lamp"}));
  EXPECT_EQ(names("$orderby", "price desc"), (Names{"Desk lamp", "Bulb", "Chair"})) << "null sorts lowest";
  EXPECT_EQ(names("$orderby", "price,name"), (Names{"Chair", "Bulb", "Desk lamp"}));
  EXPECT_EQ(names("$search", "lamp"), (Names{"Bulb", "Desk lamp"}));
  EXPECT_EQ(names("$search", "40063813"), Names{"Chair"});
  add_variant(text_at(http.get("/api/v1/Products?$search=chair").data(), "0.guid"),
              {{"name", "red"}, {"sku", "R"}});
  EXPECT_EQ(names("$filter", "variantCount gt 0"), Names{"Chair"});
  EXPECT_EQ(names("$orderby", "variantCount desc,name"), (Names{"Chair", "Bulb", "Desk lamp"}));
  const auto page = http.get("/api/v1/Products?PageSize=2&Page=2&$orderby=name");
  EXPECT_EQ(texts(page, "name"), Names{"Desk lamp"});
  EXPECT_EQ(at(page.body, "totalPages"), 2);
  expect_invalid(http.get("/api/v1/Products?$filter=" + url_encode("colour eq 'red'") + "&$orderby=colour"),
                 {"$filter", "$orderby"});
}

TEST_F(ProductsTest, OwnDataAreMergedFilteredAndCleared) {
  const auto guid = create({{"externalReference", "PIM-1"},
                            {"tags", {"Fragile", "FRAGILE", "new"}},
                            {"metadata", {{"pim.id", 7}, {"hazard", false}}}});
  create({{"name", "Bulb"}});
  const auto found = [&](std::string_view filter) {
    return texts(http.get("/api/v1/Products?$filter=" + url_encode(filter)), "name");
  };
  for (const auto* const filter : {"externalReference eq 'PIM-1'", "tags eq 'fragile'",
                                   "metadata/pim.id eq 7", "metadata/hazard eq false", "tags ne null"}) {
    EXPECT_EQ(found(filter), std::vector<std::string>{"Lamp"}) << filter;
  }
  EXPECT_EQ(http.get("/api/v1/Products?$search=lamp&$orderby=variantCount").status, 200);
  const auto changed =
      http.put(path_of(guid), {{"metadata", {{"hazard", nullptr}, {"shelf", "A"}}}, {"tags", nullptr}});
  EXPECT_EQ(changed.status, 200) << changed.text;
  const auto product = http.get(path_of(guid)).data();
  EXPECT_EQ(product.at("metadata"), json::value({{"pim.id", 7}, {"shelf", "A"}}));
  EXPECT_EQ(product.at("tags"), json::array());
  EXPECT_EQ(text_at(product, "externalReference"), "PIM-1");
  const auto events = events_of(guid);
  EXPECT_EQ(http.put(path_of(guid), product).status, 200);
  EXPECT_EQ(events_of(guid), events);

  expect_invalid(http.post("/api/v1/Products", {{"name", "x"},
                                                {"sku", "X"},
                                                {"externalReference", 1},
                                                {"tags", json::array{" "}},
                                                {"metadata", {{"ä", 1}}}}),
                 {"externalReference", "tags[0]", "metadata.ä"});
  json::object many;
  for (int i = 0; i < 49; ++i) many["k" + std::to_string(i)] = i;
  expect_invalid(http.put(path_of(guid), {{"metadata", many}}), {"metadata"});
}

TEST_F(ProductsTest, AProductOfAnotherBusinessIs404) {
  const auto guid = create({{"sku", "A"}});
  const auto variant = add_variant(guid, {{"name", "red"}, {"sku", "B"}});
  const auto before = http.get(path_of(guid)).data();
  auto& other = other_business().http;
  expect_refused(other.get(path_of(guid)), 404, "NOT_FOUND");
  expect_refused(other.put(path_of(guid), {{"name", "x"}}), 404, "NOT_FOUND");
  expect_refused(other.del(path_of(guid)), 404, "NOT_FOUND");
  expect_refused(other.post(path_of(guid, "/variants"), {{"name", "x"}, {"sku", "x"}}), 404, "NOT_FOUND");
  const auto path = path_of(guid, "/variants/" + variant);
  expect_refused(other.get(path), 404, "NOT_FOUND");
  expect_refused(other.patch(path, {{"name", "x"}}), 404, "NOT_FOUND");
  expect_refused(other.del(path), 404, "NOT_FOUND");
  EXPECT_EQ(other.post("/api/v1/Products", {{"name", "x"}, {"sku", "A"}}).status, 201)
      << "each business has its own SKUs";
  EXPECT_EQ(http.get(path_of(guid)).data(), before);
  expect_refused(http.get(path_of(unknown_guid)), 404, "NOT_FOUND");
}

TEST_F(VariantsTest, AddingReturnsGuidNameAndSku) {
  const auto product = create();
  const auto response =
      http.post(path_of(product, "/variants"), {{"name", "red"},
                                                {"sku", "R"},
                                                {"priceDifference", -2.5},
                                                {"weight", 1},
                                                {"dimensions", {{"length", 1}, {"width", 2}}}});
  ASSERT_EQ(response.status, 201) << response.text;
  const auto guid = text_at(response.data(), "guid");
  EXPECT_EQ(response.header("Location"), path_of(product, "/variants/" + guid));
  EXPECT_EQ(response.data(), json::value({{"guid", guid}, {"name", "red"}, {"sku", "R"}}));
  EXPECT_EQ(http.get(response.header("Location")).data(),
            json::value({{"guid", guid},
                         {"name", "red"},
                         {"sku", "R"},
                         {"priceDifference", -2.5},
                         {"weight", 1},
                         {"dimensions", {{"length", 1}, {"width", 2}, {"height", nullptr}}}}));
  const auto plain = add_variant(product, {{"name", "blue"}, {"sku", "B"}});
  EXPECT_EQ(http.get(path_of(product, "/variants/" + plain)).data(),
            json::value({{"guid", plain},
                         {"name", "blue"},
                         {"sku", "B"},
                         {"priceDifference", nullptr},
                         {"weight", nullptr},
                         {"dimensions", nullptr}}));
  EXPECT_EQ(at(http.get(path_of(product)).data(), "variants"),
            json::value({{{"guid", guid}, {"name", "red"}, {"sku", "R"}},
                         {{"guid", plain}, {"name", "blue"}, {"sku", "B"}}}));
  EXPECT_EQ(at(http.get("/api/v1/Products").data(), "0.variantCount"), 2);
}

TEST_F(VariantsTest, ChangingMergesAndIsAnUpdateOfTheProduct) {
  const auto product = create();
  const auto guid = add_variant(
      product, {{"name", "red"}, {"sku", "R"}, {"weight", 1}, {"dimensions", {{"length", 1}, {"width", 2}}}});
  const auto path = path_of(product, "/variants/" + guid);
  const auto events = events_of(product);
  const auto response = http.patch(
      path, {{"name", "Red"}, {"weight", nullptr}, {"dimensions", {{"width", 3}, {"length", nullptr}}}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.data(), json::value({{"guid", guid}, {"name", "Red"}}));
  EXPECT_EQ(events_of(product), events + 1);
  const auto whole = http.get(path).data();
  EXPECT_EQ(text_at(whole, "sku"), "R");
  EXPECT_TRUE(at(whole, "weight").is_null());
  EXPECT_EQ(at(whole, "dimensions"), json::value({{"length", nullptr}, {"width", 3}, {"height", nullptr}}));
  EXPECT_EQ(http.patch(path, {{"name", "Red"}}).status, 200);
  EXPECT_EQ(events_of(product), events + 1) << "nothing changed";
  EXPECT_EQ(http.patch(path, whole).status, 200) << "a GET response can be sent back";
  EXPECT_EQ(http.patch(path, {{"dimensions", nullptr}}).status, 200);
  EXPECT_TRUE(http.get(path).data().at("dimensions").is_null());
}

TEST_F(VariantsTest, AChangeOfAVariantFiresProductUpdated) {
  Receiver receiver;
  tenant.webhook(receiver.url("/variants"), "product_updated");
  const auto product = create();
  add_variant(product, {{"name", "red"}, {"sku", "R"}, {"dimensions", {{"length", 1}}}});
  const auto received = receiver.wait_for("/variants", 1);
  ASSERT_EQ(received.size(), 1U);
  const auto body = json::parse(received[0].body);
  EXPECT_EQ(text_at(body, "type"), "product_updated");
  EXPECT_EQ(text_at(body, "data.entity.variants.0.sku"), "R");
  EXPECT_EQ(at(body, "data.entity.variants.0.dimensions"),
            json::value({{"length", 1}, {"width", nullptr}, {"height", nullptr}}))
      << "with all fields";
  EXPECT_EQ(at(body, "data.previous.variants"), json::array());
}

TEST_F(VariantsTest, BadFieldsAreReportedTogether) {
  const auto product = create();
  expect_invalid(http.post(path_of(product, "/variants"), json::object{}), {"name", "sku"});
  expect_invalid(http.post(path_of(product, "/variants"), {{"name", 1},
                                                           {"sku", std::string(201, 's')},
                                                           {"priceDifference", 0.001},
                                                           {"weight", "1"},
                                                           {"dimensions", 5},
                                                           {"colour", "red"}}),
                 {"name", "sku", "priceDifference", "weight", "dimensions", "colour"});
  expect_invalid(http.post(path_of("x", "/variants"), json::object{}), {"productId", "name", "sku"});
  const auto guid = add_variant(product, {{"name", "red"}, {"sku", "R"}});
  const auto path = path_of(product, "/variants/" + guid);
  expect_invalid(http.patch(path, {{"name", nullptr}, {"priceDifference", -1e12}}),
                 {"name", "priceDifference"});
  expect_invalid(http.patch(path, {{"sku", nullptr}}), {"sku"});
  expect_invalid(http.patch(path, {{"sku", " "}}), {"sku"});
  expect_invalid(http.get(path_of(product, "/variants/x")), {"variantId"});
}

TEST_F(VariantsTest, DeletedVariantsAreGone) {
  const auto product = create();
  const auto guid = add_variant(product, {{"name", "red"}, {"sku", "R"}});
  const auto path = path_of(product, "/variants/" + guid);
  const auto response = http.del(path);
  EXPECT_EQ(response.status, 200);
  EXPECT_FALSE(response.body.as_object().contains("data"));
  for (const auto& gone : {http.del(path), http.get(path), http.patch(path, {{"name", "x"}})}) {
    expect_refused(gone, 404, "NOT_FOUND");
  }
  EXPECT_EQ(at(http.get("/api/v1/Products").data(), "0.variantCount"), 0);
  add_variant(product, {{"name", "red again"}, {"sku", "R"}});
}

TEST_F(VariantsTest, AProductHasAtMost1000) {
  const auto product = create();
  tenant.sql.rows(
      "update products set variants = (select jsonb_agg(jsonb_build_object('guid', gen_random_uuid(), 'name',"
      " n::text, 'sku', 'V-' || n)) from generate_series(1, 999) n) where guid = $1",
      {product});
  add_variant(product, {{"name", "the last"}, {"sku", "last"}});
  expect_refused(http.post(path_of(product, "/variants"), {{"name", "one more"}, {"sku", "more"}}), 409,
                 "CONFLICT");
}

TEST_F(VariantsTest, VariantsWrittenBySqlInAnyShapeAreAccepted) {
  const auto product = create();
  tenant.sql.rows(
      "update products set sku = null, variants = '[1, null, {\"guid\": 5, \"sku\": 7}, {\"name\": \"x\"}]'"
      " where guid = $1",
      {product});
  const auto whole = http.get(path_of(product));
  EXPECT_EQ(whole.status, 200) << whole.text;
  EXPECT_EQ(http.put(path_of(product), whole.data()).status, 200)
      << "a product without a SKU can be put back";
  const auto guid = add_variant(product, {{"name", "red"}, {"sku", "R"}});
  EXPECT_EQ(http.patch(path_of(product, "/variants/" + guid), {{"name", "Red"}}).status, 200);
  EXPECT_EQ(http.del(path_of(product, "/variants/" + guid)).status, 200);
}

TEST_F(SkusTest, ProductsAndVariantsShareOneNameSpace) {
  const auto first = create({{"sku", "A"}});
  const auto second = create({{"sku", "B"}});
  const auto variant = add_variant(first, {{"name", "v"}, {"sku", "C"}});
  const auto conflicts = [&](const Response& response) { expect_refused(response, 409, "CONFLICT"); };
  conflicts(http.post("/api/v1/Products", {{"name", "x"}, {"sku", "A"}}));
  conflicts(http.post("/api/v1/Products", {{"name", "x"}, {"sku", "C"}}));
  conflicts(http.put(path_of(second), {{"sku", "A"}}));
  conflicts(http.put(path_of(second), {{"sku", "C"}}));
  for (const auto* const taken : {"A", "B", "C"}) {
    conflicts(http.post(path_of(first, "/variants"), {{"name", "x"}, {"sku", taken}}));
    conflicts(http.post(path_of(second, "/variants"), {{"name", "x"}, {"sku", taken}}));
  }
  conflicts(http.patch(path_of(first, "/variants/" + variant), {{"sku", "A"}}));
  EXPECT_EQ(http.patch(path_of(first, "/variants/" + variant), {{"sku", "C"}}).status, 200) << "its own SKU";
  EXPECT_EQ(http.patch(path_of(first, "/variants/" + variant), {{"sku", "D"}}).status, 200);
  EXPECT_EQ(http.put(path_of(second), {{"sku", "C"}}).status, 200) << "the SKU is free again";
  EXPECT_EQ(reserved(), (std::vector<std::string>{"A", "C", "D"}));
}

TEST_F(SkusTest, SkusWrittenBySqlAreUniqueAsWell) {
  const auto first = create({{"sku", "A"}});
  add_variant(first, {{"name", "v"}, {"sku", "B"}});
  EXPECT_THROW(
      tenant.sql.rows("insert into products (business_id, name, sku) values ($1, 'x', 'B')", {tenant.id}),
      std::runtime_error);
  tenant.sql.rows(
      "update products set sku = 'B', variants = jsonb_set(variants, '{0,sku}', '\"A\"') where guid = $1",
      {first});
  EXPECT_EQ(reserved(), (std::vector<std::string>{"A", "B"})) << "product and variant have swapped";
  tenant.sql.rows("update products set deleted_at = now() where guid = $1", {first});
  EXPECT_EQ(reserved(), std::vector<std::string>());
  tenant.sql.rows("update products set deleted_at = null where guid = $1", {first});
  EXPECT_EQ(reserved(), (std::vector<std::string>{"A", "B"}));
  tenant.sql.rows("delete from products where guid = $1", {first});
  EXPECT_EQ(reserved(), std::vector<std::string>());
}

TEST_F(SkusTest, OneOfManyConcurrentUsersOfASkuSucceeds) {
  const auto product = create();
  constexpr int rounds = 10;
  std::atomic<int> made = 0;
  std::atomic<int> refused = 0;
  std::vector<std::jthread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&, i] {
      auto client = http.with_token(http.token());
      for (int round = 0; round < rounds; ++round) {
        const json::object body{{"name", "x"}, {"sku", "S-" + std::to_string(round)}};
        const auto response =
            client.post(i % 2 == 0 ? "/api/v1/Products" : path_of(product, "/variants"), body);
        ++(response.status == 201 ? made : refused);
        if (response.status != 201) expect_refused(response, 409, "CONFLICT");
      }
    });
  }
  workers.clear();
  EXPECT_EQ(made, rounds);
  EXPECT_EQ(refused, 3 * rounds);
}

TEST_F(SkusTest, GeneratedSkusAreUniqueUnderConcurrency) {
  generate_skus();
  const auto product = create();
  create({{"sku", "SKU-000002"}});
  constexpr int each = 10;
  std::vector<std::jthread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&, i] {
      auto client = http.with_token(http.token());
      for (int n = 0; n < each; ++n) {
        const auto path = i % 2 == 0 ? "/api/v1/Products" : path_of(product, "/variants");
        const auto response = client.post(path, {{"name", "x"}});
        EXPECT_EQ(response.status, 201) << response.text;
        EXPECT_TRUE(text_at(response.data(), "sku").starts_with("SKU-")) << response.text;
      }
    });
  }
  workers.clear();
  EXPECT_EQ(reserved().size(), 4U * each + 2);
}

TEST_F(ProductSettingsTest, AreMergedAndShown) {
  const std::string path = "/api/v1/Products/settings";
  EXPECT_EQ(http.get(path).data(),
            json::value({{"autoGenerateSku", false}, {"defaultUnit", "cm"}, {"defaultWeightUnit", "kg"}}));
  const auto response = http.patch(path, {{"defaultUnit", "in"}});
  EXPECT_EQ(response.status, 200) << response.text;
  EXPECT_FALSE(response.body.as_object().contains("data"));
  EXPECT_EQ(http.patch(path, {{"autoGenerateSku", true}, {"defaultWeightUnit", "g"}}).status, 200);
  EXPECT_EQ(http.patch(path, json::object{}).status, 200);
  EXPECT_EQ(http.get(path).data(),
            json::value({{"autoGenerateSku", true}, {"defaultUnit", "in"}, {"defaultWeightUnit", "g"}}));
  expect_invalid(
      http.patch(
          path,
          {{"autoGenerateSku", "yes"}, {"defaultUnit", "ft"}, {"defaultWeightUnit", nullptr}, {"x", 1}}),
      {"autoGenerateSku", "defaultUnit", "defaultWeightUnit", "x"});
  EXPECT_EQ(at(other_business().http.get(path).data(), "autoGenerateSku"), false);
}

TEST_F(ProductSettingsTest, ASkuIsRequiredUnlessGenerated) {
  expect_invalid(http.post("/api/v1/Products", {{"name", "x"}}), {"sku"});
  expect_invalid(http.post("/api/v1/Products", {{"name", "x"}, {"sku", nullptr}}), {"sku"});
  generate_skus();
  EXPECT_EQ(text_at(http.post("/api/v1/Products", {{"name", "x"}}).data(), "sku"), "SKU-000001");
  EXPECT_EQ(text_at(http.post("/api/v1/Products", {{"name", "x"}, {"sku", "own"}}).data(), "sku"), "own");
  expect_invalid(http.post("/api/v1/Products", json::object{}), {"name"});
  const auto product = create();
  EXPECT_EQ(text_at(http.post(path_of(product, "/variants"), {{"name", "x"}}).data(), "sku"), "SKU-000002");
  generate_skus(false);
  expect_invalid(http.post(path_of(product, "/variants"), {{"name", "x"}}), {"sku"});
}

}  // namespace
}  // namespace waybill::tests
