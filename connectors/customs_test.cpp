#include "connectors/customs.hpp"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.hpp"

namespace waybill::connectors {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Result {
  std::optional<CustomsData> customs;
  std::vector<std::string> fields;
  const CustomsItem& item(std::size_t index = 0) const { return customs.value().items.at(index); }
};

Result derived(const std::string& given, const std::string& goods = {}, CustomsSource source = {}) {
  source.given = given;
  source.goods = goods;
  if (source.order_currency.empty() && !goods.empty()) source.order_currency = "EUR";
  source.home_currency = "EUR";
  if (source.weight_unit.empty()) source.weight_unit = "kg";
  FieldErrors errors;
  Result result{.customs = customs_of(source, errors), .fields = {}};
  for (const auto& error : errors) result.fields.push_back(error.field);
  return result;
}

const std::string lamp =
    R"([{"item": {"description": "Lamp", "quantity": 2, "price": 19.9, "dimensions": {"weight": 1.5},
                  "hsCode": "940521", "originCountry": "PT"}, "product": null}])";

TEST(Customs, AreThoseOfTheOrderUnlessGiven) {
  const Result result = derived("", lamp);
  EXPECT_THAT(result.fields, IsEmpty());
  EXPECT_EQ(result.customs->contents, "merchandise");
  EXPECT_EQ(result.customs->incoterm, "");
  EXPECT_EQ(result.item().description, "Lamp");
  EXPECT_EQ(result.item().quantity, 2);
  EXPECT_EQ(result.item().value, "19.9");
  EXPECT_EQ(result.item().currency, "EUR");
  EXPECT_EQ(result.item().weight, "1.5");
  EXPECT_EQ(result.item().hs_code, "940521");
  EXPECT_EQ(result.item().origin_country, "PT");
}

TEST(Customs, GivenItemsReplaceThoseOfTheOrder) {
  const std::string items =
      R"("items": [{"description": "Teapot", "quantity": 1, "value": 30, "currency": "GBP", "weight": 0.8}])";
  const Result result = derived(R"({"contents": "gift", "incoterm": "DDP", )" + items + "}", lamp);
  EXPECT_THAT(result.fields, IsEmpty());
  EXPECT_EQ(result.customs->contents, "gift");
  EXPECT_EQ(result.customs->incoterm, "DDP");
  ASSERT_EQ(result.customs->items.size(), 1U);
  EXPECT_EQ(result.item().description, "Teapot");
  EXPECT_EQ(result.item().currency, "GBP");
}

TEST(Customs, TakeNumbersOfAnyLength) {
  const std::string goods =
      R"([{"item": {"description": "Lamp", "quantity": 2, "price": 19.90000000000000000001,
                    "dimensions": {"weight": 1.5, "length": 1e400}, "hsCode": "940521", "originCountry": "PT"}},
          {"item": {"description": "Shade", "quantity": 1, "price": 12345678901234567890123,
                    "dimensions": {"weight": 1}, "hsCode": "940599", "originCountry": "PT"}}])";
  const Result result = derived("", goods);
  EXPECT_EQ(result.item().value, "19.9");
  EXPECT_EQ(result.item().weight, "1.5");
  EXPECT_THAT(result.fields, ElementsAre("customs.items[1].value"));
}

TEST(Customs, ContentsAndIncotermAloneKeepTheItemsOfTheOrder) {
  const Result result = derived(R"({"contents": "sample", "incoterm": "DAP", "items": []})", lamp);
  EXPECT_EQ(result.customs->contents, "sample");
  EXPECT_EQ(result.item().description, "Lamp");
}

TEST(Customs, ItemsTakeFromTheirProductsWhatTheyLack) {
  const std::string goods =
      R"([{"item": {"description": "Lamp", "quantity": 1, "price": 19.9, "dimensions": null, "hsCode": null},
           "product": {"weight": 250, "hsCode": "940521", "originCountry": "CN", "customsValue": 12.5}}])";
  const Result result = derived("", goods, {.weight_unit = "g"});
  EXPECT_THAT(result.fields, IsEmpty());
  EXPECT_EQ(result.item().weight, "0.25");
  EXPECT_EQ(result.item().hs_code, "940521");
  EXPECT_EQ(result.item().origin_country, "CN");
  EXPECT_EQ(result.item().value, "12.5");
  const Result abroad = derived("", goods, {.order_currency = "GBP", .weight_unit = "g"});
  EXPECT_EQ(abroad.item().value, "19.9") << "the product's value is in the currency of the business";
  EXPECT_EQ(abroad.item().currency, "GBP");
}

TEST(Customs, ValuesOfTheItemComeBeforeThoseOfTheProduct) {
  const std::string goods =
      R"([{"item": {"description": "Lamp", "quantity": 1, "price": 19.9, "customsValue": 15, "hsCode": "940521",
                    "originCountry": "PT", "dimensions": {"weight": 2}},
           "product": {"weight": 3, "hsCode": "111111", "originCountry": "CN", "customsValue": 12.5}}])";
  const CustomsItem item = derived("", goods).item();
  EXPECT_THAT((std::vector{item.value, item.hs_code, item.origin_country, item.weight}),
              ElementsAre("15", "940521", "PT", "2"));
}

TEST(Customs, WithoutItemsAreRefusedByName) {
  for (const char* const given : {"", "{}", R"({"items": []})", R"({"items": null})", "[]", "7"}) {
    EXPECT_THAT(derived(given).fields, ElementsAre("customs")) << given;
    EXPECT_THAT(derived(given, "[]").fields, ElementsAre("customs")) << given;
  }
}

TEST(Customs, NameEachPartThatCustomsLack) {
  const std::string item = R"({"items": [{"quantity": 1.5, "value": 0, "weight": 0}]})";
  EXPECT_THAT(derived(item).fields, ElementsAre("customs.items[0].description", "customs.items[0].quantity",
                                                "customs.items[0].value", "customs.items[0].weight",
                                                "customs.items[0].hsCode", "customs.items[0].originCountry"));
  EXPECT_THAT(derived("", R"([{"item": {"description": "Lamp", "quantity": 1, "price": 1, "hsCode": "940521",
                                        "originCountry": "PT"}}])")
                  .fields,
              ElementsAre("customs.items[0].weight"));
}

TEST(Customs, GoodsThatAreNotSoldNeedNeitherCodeNorOrigin) {
  const auto fields = [](const std::string& contents, const std::string& value, bool is_return = false) {
    return derived(R"({"contents": )" + contents +
                       R"(, "items": [{"description": "Papers", "quantity": 1, "weight": 0.1, "value": )" +
                       value + "}]}",
                   "", {.is_return = is_return})
        .fields;
  };
  const auto both = ElementsAre("customs.items[0].hsCode", "customs.items[0].originCountry");
  for (const char* const contents : {R"("gift")", R"("sample")", R"("documents")", R"("other")"})
    EXPECT_THAT(fields(contents, "1"), IsEmpty()) << contents;
  for (const char* const contents : {"null", R"("merchandise")", R"("return_merchandise")"})
    EXPECT_THAT(fields(contents, "1"), both) << contents;
  EXPECT_THAT(fields("null", "1", true), both);
  EXPECT_THAT(fields(R"("gift")", "0"), ElementsAre("customs.items[0].value"));
}

TEST(Customs, OfAReturnAreReturnedMerchandise) {
  EXPECT_EQ(derived("", lamp, {.is_return = true}).customs->contents, "return_merchandise");
}

TEST(Customs, CodesAndCountriesAreWrittenAsCarriersTakeThem) {
  const auto read = [](const std::string& code, const std::string& country) {
    return derived(R"({"contents": "gift", "items": [{"description": "x", "quantity": 1, "value": 1,
                       "weight": 1, "hsCode": ")" +
                   code + R"(", "originCountry": ")" + country + R"("}]})");
  };
  const Result good = read("9405.21 00", "Germany");
  EXPECT_EQ(good.item().hs_code, "94052100");
  EXPECT_EQ(good.item().origin_country, "DE");
  EXPECT_EQ(read("940521", "DEU").item().origin_country, "DE");
  EXPECT_THAT(read("12", "Atlantis").fields,
              ElementsAre("customs.items[0].hsCode", "customs.items[0].originCountry"));
}

// A random value of a part of an item: usual, missing, of another type, or out of bounds.
std::string any_of(std::mt19937& random, const std::string& usual) {
  const std::vector<std::string> others{"null", "\"\"", "-1", "0", "[]", "{}", "1e300", "true", "\"x\""};
  return random() % 8 > 0 ? usual : others[random() % others.size()];
}

std::string any_item(std::mt19937& random, bool in_order) {
  std::string text = R"({"description": )" + any_of(random, R"("Lamp")") + R"(, "quantity": )" +
                     any_of(random, "2") + R"(, "hsCode": )" + any_of(random, R"("940521")") +
                     R"(, "originCountry": )" + any_of(random, R"("PT")");
  if (!in_order)
    return text + R"(, "value": )" + any_of(random, "3") + R"(, "weight": )" + any_of(random, "1.5") + "}";
  text += R"(, "price": )" + any_of(random, "19.9") + R"(, "customsValue": )" + any_of(random, "15") +
          R"(, "dimensions": )" + any_of(random, R"({"weight": 1.5})") + "}";
  const std::string product = R"({"weight": )" + any_of(random, "2") + R"(, "hsCode": )" +
                              any_of(random, R"("111111")") + R"(, "originCountry": )" +
                              any_of(random, R"("CN")") + R"(, "customsValue": )" + any_of(random, "9") + "}";
  return R"({"item": )" + text + R"(, "product": )" + any_of(random, product) + "}";
}

bool is_complete(const CustomsItem& item, bool is_commercial) {
  const auto positive = [](const std::string& text) { return !text.empty() && std::stod(text) > 0; };
  return !item.description.empty() && item.quantity >= 1 && positive(item.value) && positive(item.weight) &&
         item.currency == "EUR" &&
         (!is_commercial || (item.hs_code.size() >= 6 && item.origin_country.size() == 2));
}

TEST(Customs, AreCompleteOrRefusedWhateverIsStored) {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same cases in each run
  int complete = 0;
  constexpr int cases = 20'000;
  for (int i = 0; i < cases; ++i) {
    const bool in_order = random() % 2 == 0;
    const std::size_t count = random() % 3;
    std::string list;
    for (std::size_t k = 0; k < count; ++k) list += (k > 0 ? "," : "") + any_item(random, in_order);
    list = "[" + list + "]";
    const bool is_gift = random() % 2 == 0;
    const std::string given = std::string(R"({"contents": )") + (is_gift ? R"("gift")" : "null") +
                              R"(, "items": )" + (in_order ? "null" : list) + "}";
    const Result result = derived(given, in_order ? list : "");
    ASSERT_EQ(result.customs.has_value(), count > 0) << given << list;
    if (!result.fields.empty()) continue;
    ASSERT_EQ(result.customs->items.size(), count);
    for (const CustomsItem& item : result.customs->items)
      ASSERT_TRUE(is_complete(item, !is_gift)) << given << list;
    ++complete;
  }
  EXPECT_GT(complete, cases / 100);
}

}  // namespace
}  // namespace waybill::connectors
