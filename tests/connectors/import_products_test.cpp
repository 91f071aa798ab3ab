// Products of stores with their variants, and their measures in the items of orders.
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/connectors/import_fixture.hpp"
#include "tests/simulators/shopify/shopify_simulator.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t each_call = 1'000'000;

Fault broken_products() {
  auto fault = failing_with(500);
  fault.path_part = "products";
  return fault;
}

json::object variant_of(int id, std::string_view title, std::string_view sku, std::string_view price) {
  auto made = ShopifyShop::variant(title, sku, price, 250, "GRAMS");
  made["id"] = test_gid("ProductVariant", id);
  return made;
}

json::object with_variants(json::array variants) {
  return {{"title", "Shirt"}, {"hasOnlyDefaultVariant", false}, {"variants", std::move(variants)}};
}

class ImportProducts : public ImportTest {
 protected:
  ImportProducts() { shop.without_limits(); }

  Connection connect_shop() {
    return connect({"shopify", shop.url(), std::string(ShopifySimulator::client_id),
                    std::string(ShopifySimulator::client_secret)},
                   {.sync_products = true});
  }
  std::string product(std::string_view columns, std::string_view name = "Shirt") {
    return tenant.sql.value(
        "select " + std::string(columns) + " from products where business_id = $1 and name = $2",
        {tenant.id, std::string(name)});
  }
  /// The SKUs of all products, by their names.
  std::map<std::string, std::string> skus() {
    std::map<std::string, std::string> skus;
    for (const auto& pair : tenant.sql.column(
             "select name || '=' || coalesce(sku, '') from products where business_id = $1", {tenant.id})) {
      const auto at = pair.find('=');
      skus.emplace(pair.substr(0, at), pair.substr(at + 1));
    }
    return skus;
  }
  /// The SKUs of all variants, by their names.
  std::map<std::string, std::string> variant_skus() {
    std::map<std::string, std::string> skus;
    for (const auto& pair : tenant.sql.column(
             "select concat(v ->> 'name', '=', v ->> 'sku') from products, jsonb_array_elements(variants) v "
             "where business_id = $1",
             {tenant.id})) {
      const auto at = pair.find('=');
      skus.emplace(pair.substr(0, at), pair.substr(at + 1));
    }
    return skus;
  }
  /// Number of calls for one product by its id.
  std::size_t asked() {
    return static_cast<std::size_t>(std::ranges::count_if(store.calls(), [](const auto& call) {
      constexpr std::string_view route = "wc/v3/products/";
      return call.route.starts_with(route) && call.route.find('/', route.size()) == std::string::npos;
    }));
  }
  /// Lets the time pass after which a store is asked again for a product.
  void let_an_hour_pass() {
    tenant.sql.rows(
        "update imported_products set asked_at = now() - interval '61 minutes' where business_id = $1",
        {tenant.id});
  }
  /// "S=SKU-S:0, L=SKU-L:2.5"
  std::string variants() {
    return product(
        "(select string_agg(concat(v ->> 'name', '=', v ->> 'sku', ':', v ->> 'priceDifference'), ', ' "
        "order by n) from jsonb_array_elements(variants) with ordinality e (v, n))");
  }

  ShopifySimulator shop;
};

TEST_F(ImportProducts, AProductWithoutAPriceOfItsOwnHasTheLowestOfItsVariants) {
  const auto shirt = shop.add_product(
      with_variants({variant_of(1, "S", "SHIRT-S", "12.50"), variant_of(2, "L", "SHIRT-L", "10.00")}));
  auto connection = connect_shop();
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(product("price"), "10.00");
  EXPECT_EQ(variants(), "S=SHIRT-S:2.5, L=SHIRT-L:0");
  const auto events = connection.events(3);
  shop.change_product(
      shirt, with_variants({variant_of(1, "S", "SHIRT-S", "12.50"), variant_of(2, "L", "SHIRT-L", "11.00")}));
  connection.sync();
  EXPECT_EQ(product("price"), "11.00");
  EXPECT_EQ(variants(), "S=SHIRT-S:1.5, L=SHIRT-L:0");
  EXPECT_EQ(connection.events(3), events + 1);
}

TEST_F(ImportProducts, VariantsFollowTheStoreByItsIdsAndThoseOfPeopleStay) {
  const auto shirt = shop.add_product(
      with_variants({variant_of(1, "S", "SHIRT-S", "10"), variant_of(2, "L", "SHIRT-L", "10")}));
  auto connection = connect_shop();
  connection.sync();
  const auto guid = product("guid");
  const auto large = product("variants -> 1 ->> 'guid'");
  ASSERT_EQ(
      tenant.http.post("/api/v1/Products/" + guid + "/variants", {{"name", "Gift"}, {"sku", "SHIRT-GIFT"}})
          .status,
      201);
  shop.change_product(shirt, with_variants({variant_of(2, "Large", "SHIRT-XL", "10")}));
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(variants(), "Large=SHIRT-XL:0, Gift=SHIRT-GIFT:");
  EXPECT_EQ(product("variants -> 0 ->> 'guid'"), large);
  const auto answer = tenant.http.get("/api/v1/Products/" + guid + "/variants/" + large).data().as_object();
  EXPECT_FALSE(answer.contains("externalId")) << "the store's id is internal";
  // Its only variant stands for the product, which then has its SKU.
  shop.change_product(shirt, {{"hasOnlyDefaultVariant", true},
                              {"variants", json::array{variant_of(2, "Default Title", "SHIRT-XL", "9")}}});
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(variants(), "Gift=SHIRT-GIFT:");
  EXPECT_EQ(product("sku"), "SHIRT-XL");
}

TEST_F(ImportProducts, AVariantOfTwoStoresStaysUntilBothRemovedIt) {
  ShopifySimulator second;
  second.without_limits();
  const auto both = with_variants({variant_of(1, "S", "SHIRT-S", "10"), variant_of(2, "L", "SHIRT-L", "10")});
  const auto one = with_variants({variant_of(1, "S", "SHIRT-S", "10")});
  const auto in_first = shop.add_product(both);
  const auto in_second = second.add_product(both);
  auto connection = connect_shop();
  auto other = connect({"shopify", second.url(), std::string(ShopifySimulator::client_id),
                        std::string(ShopifySimulator::client_secret)},
                       {.sync_products = true});
  connection.sync();
  EXPECT_EQ(other.sync().reason(),
            "The product Shirt: it is the product Shirt here, which has the SKU SHIRT-S, and its values "
            "replace those here.");
  shop.change_product(in_first, one);
  connection.sync();
  EXPECT_EQ(variants(), "S=SHIRT-S:0, L=SHIRT-L:0");
  second.change_product(in_second, one);
  other.sync();
  EXPECT_EQ(variants(), "S=SHIRT-S:0");
}

TEST_F(ImportProducts, VariantsBeyondTheThousandthAreNamedOnce) {
  json::array many;
  for (int i = 0; i < 1003; ++i) many.push_back(variant_of(i + 1, "Size " + std::to_string(i), "", "1"));
  shop.add_product(with_variants(std::move(many)));
  auto connection = connect_shop();
  EXPECT_EQ(connection.sync(60s).reason(),
            "The product Shirt: 3 of its 1003 variants are left out, because a product has at most 1000.");
  EXPECT_EQ(product("jsonb_array_length(variants)"), "1000");
  EXPECT_TRUE(connection.sync(60s).errors.empty());
}

// SKUs that move

TEST_F(ImportProducts, ProductsThatExchangeTheirSkusHaveThoseOfTheStore) {
  const auto first = store.add_product({{"name", "A"}, {"sku", "S1"}, {"weight", "1"}}, an_hour_ago());
  const auto second = store.add_product({{"name", "B"}, {"sku", "S2"}, {"weight", "2"}}, an_hour_ago());
  const auto third = store.add_product({{"name", "C"}, {"sku", "S3"}, {"weight", "3"}}, an_hour_ago());
  auto connection = connect(store, {.sync_products = true});
  connection.sync();
  const auto guid = product("guid", "A");
  store.change_product(first, {{"sku", "S2"}});
  store.change_product(second, {{"sku", "S1"}});
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(skus(), (std::map<std::string, std::string>{{"A", "S2"}, {"B", "S1"}, {"C", "S3"}}));
  EXPECT_EQ(product("guid", "A"), guid) << "what refers to a product still does";
  // The other half of an exchange may follow with a later import.
  store.change_product(third, {{"sku", "S1"}});
  EXPECT_EQ(connection.sync().reason(),
            "The product C: the SKU S1 of the product is that of the product B. It is left out, because SKUs "
            "are unique here.");
  EXPECT_EQ(product("sku", "C"), "S3");
  store.change_product(second, {{"sku", "S3"}});
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(skus(), (std::map<std::string, std::string>{{"A", "S2"}, {"B", "S3"}, {"C", "S1"}}));
}

TEST_F(ImportProducts, AfterAnImportProductsHaveTheSkusOfTheStoreWhateverTheOrderOfItsPages) {
  constexpr std::size_t most = 18;
  std::mt19937 random(20261130);
  for (const char* const size : {"per_page=100", "per_page=50", "per_page=25", "per_page=12", "per_page=6"}) {
    auto fault = failing_with(504);
    fault.path_part = size;
    store.fail(fault, each_call);
  }
  std::map<std::int64_t, std::string> names;
  const auto add = [&](const std::string& sku) {
    const auto name = "P" + std::to_string(names.size());
    names.emplace(store.add_product({{"name", name}, {"sku", sku}}, an_hour_ago()), name);
  };
  std::vector<std::string> free;
  for (std::size_t i = 0; i < most; ++i) {
    free.push_back("S" + std::to_string(i));
    if (i < most - 6) add(free.back());
  }
  auto connection = connect(store, {.sync_products = true});
  connection.sync(60s);
  for (int round = 0; round < 6; ++round) {
    std::ranges::shuffle(free, random);
    auto next = free.begin();
    std::map<std::string, std::string> of_store;
    for (const auto& [id, name] : names) {
      const bool has_none = random() % 6 == 0;
      of_store[name] = has_none ? "" : *next++;
      store.change_product(id, {{"sku", of_store[name]}});
    }
    of_store["P" + std::to_string(names.size())] = *next;
    add(*next);
    store.change_product(names.rbegin()->first, {});
    connection.sync(60s);
    connection.sync(60s);  // the new product may have waited for its SKU
    const auto here = skus();
    EXPECT_EQ(here.size(), names.size());
    for (const auto& [name, sku] : of_store) {
      if (!sku.empty()) EXPECT_EQ(here.at(name), sku) << name << " in round " << round;
    }
    const auto first = store.calls().size();
    EXPECT_TRUE(connection.sync(60s).errors.empty());
    EXPECT_LT(store.calls().size(), first + 40) << "not all products are read with each import";
  }
}

TEST_F(ImportProducts, ASkuMovesBetweenProductsAndVariants) {
  const auto default_only = [](int id, std::string_view title, std::string_view sku) {
    return json::object{{"title", title},
                        {"hasOnlyDefaultVariant", true},
                        {"variants", json::array{variant_of(id, "Default Title", sku, "1")}}};
  };
  const auto mug = shop.add_product(default_only(1, "Mug", "MUG"));
  const auto shirt =
      shop.add_product(with_variants({variant_of(2, "S", "SHIRT-S", "10"), variant_of(3, "L", "L", "10")}));
  auto connection = connect_shop();
  EXPECT_TRUE(connection.sync().errors.empty());
  // Between a product and a variant of another one.
  shop.change_product(mug, default_only(1, "Mug", "L"));
  shop.change_product(shirt,
                      with_variants({variant_of(2, "S", "SHIRT-S", "10"), variant_of(3, "L", "MUG", "10")}));
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(product("sku", "Mug"), "L");
  EXPECT_EQ(variants(), "S=SHIRT-S:0, L=MUG:0");
  // From a product to its own variant, and from a variant to a new one of another product.
  auto options = with_variants({variant_of(1, "Red", "L", "1"), variant_of(4, "Blue", "SHIRT-S", "1")});
  options["title"] = "Mug";
  shop.change_product(mug, options);
  shop.change_product(shirt, with_variants({variant_of(2, "S", "", "10"), variant_of(3, "L", "MUG", "10")}));
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(product("coalesce(sku, 'none')", "Mug"), "none");
  EXPECT_EQ(product("variants #>> '{0,sku}'", "Mug"), "L");
  EXPECT_EQ(product("variants #>> '{1,sku}'", "Mug"), "SHIRT-S");
  EXPECT_EQ(variants(), "S=:0, L=MUG:0");
}

TEST_F(ImportProducts, ASkuThatTheStoreTookFromAProductIsFreeForANewOne) {
  const auto old = store.add_product({{"name", "Old"}, {"sku", "S1"}}, an_hour_ago());
  auto connection = connect(store, {.sync_products = true});
  connection.sync();
  store.change_product(old, {{"sku", ""}});
  connection.sync();
  EXPECT_EQ(product("sku", "Old"), "S1") << "what has no value in the store stays";
  const auto second = store.add_product({{"name", "New"}, {"sku", "S1"}});
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(product("sku", "New"), "S1");
  EXPECT_EQ(product("coalesce(sku, 'none')", "Old"), "none");
  // The new one may come before the change of the old one.
  store.add_product({{"name", "Newest"}, {"sku", "S1"}});
  EXPECT_EQ(connection.sync().errors.size(), 1U);
  store.change_product(second, {{"sku", ""}});
  connection.sync();
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(product("sku", "Newest"), "S1");
}

TEST_F(ImportProducts, AProductGetsItsSkuOnceAPersonHasFreedIt) {
  const auto ours = tenant.sql.value(
      "insert into products (business_id, name, sku) values ($1, 'Ours', 'OURS') returning guid",
      {tenant.id});
  const auto mug = store.add_product({{"name", "Mug"}, {"sku", "MUG"}}, an_hour_ago());
  auto connection = connect(store, {.sync_products = true});
  connection.sync();
  store.change_product(mug, {{"sku", "OURS"}});
  EXPECT_EQ(connection.sync().errors.size(), 1U);
  EXPECT_EQ(product("sku", "Mug"), "MUG");
  EXPECT_EQ(product("sku", "Ours"), "OURS") << "a product of people keeps its SKU";
  ASSERT_EQ(tenant.http.put("/api/v1/Products/" + ours, {{"sku", "FREE"}}).status, 200);
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(product("sku", "Mug"), "OURS");
}

// Products that are gone from the store

json::object shopify_product(std::string_view name, int id, std::string_view sku) {
  return {{"title", name},
          {"hasOnlyDefaultVariant", true},
          {"variants", json::array{variant_of(id, "Default Title", sku, "1")}}};
}

TEST_F(ImportProducts, AProductGetsTheSkuOfOneThatIsGoneFromTheStore) {
  std::vector<std::int64_t> old;
  for (int i = 0; i < 3; ++i)
    old.push_back(store.add_product({{"name", "Old " + std::to_string(i)}, {"sku", "S" + std::to_string(i)}},
                                    an_hour_ago()));
  auto connection = connect(store, {.sync_products = true});
  connection.sync();
  const auto guid = product("guid", "Old 0");
  store.delete_product(old.at(0));
  store.change_product(old.at(1), {{"status", "trash"}});
  store.change_product(old.at(2), {{"status", "draft"}, {"sku", "S2-old"}});
  for (int i = 0; i < 3; ++i)
    store.add_product(
        {{"name", "New " + std::to_string(i)}, {"sku", "S" + std::to_string(i)}, {"weight", "4"}});
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(
      skus(),
      (std::map<std::string, std::string>{
          {"New 0", "S0"}, {"New 1", "S1"}, {"New 2", "S2"}, {"Old 0", ""}, {"Old 1", ""}, {"Old 2", ""}}));
  EXPECT_EQ(product("guid", "Old 0"), guid) << "what refers to it still does";
  EXPECT_EQ(asked(), 3U);
  const json::object line{{"id", 1}, {"name", "New"}, {"sku", "S0"}, {"quantity", 1}, {"total", "1.00"}};
  const auto order = store.add_order({{"line_items", json::array{line}}});
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(connection.order(order, "items #>> '{0,dimensions,weight}'"), "4");
  EXPECT_EQ(asked(), 3U) << "nothing is left to ask for";
  // One that the store shows again follows it again.
  store.change_product(old.at(2), {{"status", "publish"}, {"name", "Back"}});
  store.change_product(old.at(1), {{"status", "publish"}, {"sku", "S1-again"}});
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(product("sku", "Back"), "S2-old");
  EXPECT_EQ(product("sku", "Old 1"), "S1-again");
}

TEST_F(ImportProducts, MergedProductsBecomeVariantsWithTheirSkus) {
  const auto first = store.add_product({{"name", "Blue"}, {"sku", "S1"}}, an_hour_ago());
  const auto second = store.add_product({{"name", "Red"}, {"sku", "S2"}}, an_hour_ago());
  auto connection = connect(store, {.sync_products = true});
  connection.sync();
  store.delete_product(second);
  store.change_product(first, {{"name", "Shirt"}, {"sku", ""}});
  store.add_variation(first,
                      {{"sku", "S1"}, {"attributes", {{{"id", 6}, {"name", "C"}, {"option", "Blue"}}}}});
  store.add_variation(first,
                      {{"sku", "S2"}, {"attributes", {{{"id", 6}, {"name", "C"}, {"option", "Red"}}}}});
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(variant_skus(), (std::map<std::string, std::string>{{"Blue", "S1"}, {"Red", "S2"}}));
  EXPECT_EQ(skus(), (std::map<std::string, std::string>{{"Shirt", ""}, {"Red", ""}}));
}

TEST_F(ImportProducts, TheSkusOfVariantsOfAProductThatIsGoneAreFreeButThoseOfPeople) {
  const auto shirt = shop.add_product(
      with_variants({variant_of(1, "S", "SHIRT-S", "10"), variant_of(2, "L", "SHIRT-L", "10")}));
  auto connection = connect_shop();
  connection.sync();
  ASSERT_EQ(
      tenant.http
          .post("/api/v1/Products/" + product("guid") + "/variants", {{"name", "Gift"}, {"sku", "GIFT"}})
          .status,
      201);
  shop.remove_product(shirt);
  shop.add_product(shopify_product("Small", 11, "SHIRT-S"));
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(product("sku", "Small"), "SHIRT-S");
  EXPECT_EQ(variants(), "S=:0, L=SHIRT-L:0, Gift=GIFT:") << "nobody else has the SKU of L";
  shop.add_product(shopify_product("Large", 12, "SHIRT-L"));
  shop.add_product(shopify_product("Bow", 13, "GIFT"));
  EXPECT_EQ(
      connection.sync().reason(),
      "The product Bow is left out: its SKU GIFT is that of the product Shirt, and SKUs are unique here.");
  EXPECT_EQ(product("sku", "Large"), "SHIRT-L");
  EXPECT_EQ(variants(), "S=:0, L=:0, Gift=GIFT:");
}

TEST_F(ImportProducts, AProductThatWasLeftOutIsImportedOnceTheOtherOneIsGone) {
  const auto first = shop.add_product(shopify_product("First", 1, "S1"));
  shop.add_product(shopify_product("Copy", 2, "S1"));
  auto connection = connect_shop();
  EXPECT_EQ(
      connection.sync().reason(),
      "The product Copy is left out: its SKU S1 is that of the product First, and SKUs are unique here.");
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(shop.performed("WaybillProduct"), 1U);
  shop.remove_product(first);
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(shop.performed("WaybillProduct"), 1U) << "not asked with each import";
  EXPECT_EQ(skus(), (std::map<std::string, std::string>{{"First", "S1"}}));
  let_an_hour_pass();
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(shop.performed("WaybillProduct"), 2U);
  EXPECT_EQ(skus(), (std::map<std::string, std::string>{{"First", ""}, {"Copy", "S1"}}));
}

TEST_F(ImportProducts, AStoreThatCannotShowTheOtherProductIsAskedAgainLater) {
  const auto old = store.add_product({{"name", "Old"}, {"sku", "S1"}}, an_hour_ago());
  auto connection = connect(store, {.sync_products = true});
  connection.sync();
  store.delete_product(old);
  store.add_product({{"name", "New"}, {"sku", "S1"}});
  store.add_product({{"name", "Mug"}, {"sku", "MUG"}});
  auto fault = failing_with(500);
  fault.path_part = "products/" + std::to_string(old);
  store.fail(fault, each_call);
  EXPECT_EQ(connection.sync(60s).reason(),
            "The product New is left out: its SKU S1 is that of the product Old, and SKUs are unique here.");
  EXPECT_EQ(product("sku", "Mug"), "MUG") << "other products do not wait";
  EXPECT_EQ(connection.value("products_failures"), "0");
  store.stop_failing();
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(product("sku", "Old"), "S1");
  let_an_hour_pass();
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(product("sku", "New"), "S1");
}

TEST_F(ImportProducts, AProductOfTwoStoresIsStillOneAfterOneStoreMadeItAgain) {
  const auto first = store.add_product({{"name", "Mug"}, {"sku", "MUG"}}, an_hour_ago());
  shop.add_product(shopify_product("Mug", 1, "MUG"));
  auto connection = connect(store, {.sync_products = true});
  auto other = connect_shop();
  connection.sync();
  other.sync();
  const auto guid = product("guid", "Mug");
  store.delete_product(first);
  store.add_product({{"name", "Mug again"}, {"sku", "MUG"}});
  EXPECT_EQ(
      connection.sync().reason(),
      "The product Mug again: it is the product Mug here, which has the SKU MUG, and its values replace "
      "those here.");
  EXPECT_EQ(skus(), (std::map<std::string, std::string>{{"Mug again", "MUG"}}));
  EXPECT_EQ(product("guid", "Mug again"), guid);
}

TEST_F(ImportProducts, AnImportAsksForAFewProductsAndLaterImportsForTheOthers) {
  constexpr int count = 45;
  std::vector<std::int64_t> old;
  for (int i = 0; i < count; ++i) {
    const auto number = std::to_string(i);
    old.push_back(store.add_product({{"name", "Old " + number}, {"sku", "S" + number}}, an_hour_ago()));
  }
  auto connection = connect(store, {.sync_products = true});
  connection.sync();
  for (int i = 0; i < count; ++i) {
    const auto number = std::to_string(i);
    store.delete_product(old[static_cast<std::size_t>(i)]);
    store.add_product({{"name", "New " + number}, {"sku", "S" + number}});
  }
  EXPECT_EQ(connection.sync(60s).errors.size(), 15U);
  EXPECT_EQ(asked(), 30U);
  connection.sync(60s);
  EXPECT_TRUE(connection.sync(60s).errors.empty());
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(product("sku", "New " + std::to_string(i)), "S" + std::to_string(i));
  EXPECT_EQ(asked(), 45U) << "for each once";
}

/// A store with products that are changed at random. A product with variants has no SKU of its own.
class RandomProducts {
 public:
  struct Store {
    std::function<std::int64_t(const std::string& name, const std::string& sku)> add;
    std::function<void(std::int64_t id, const std::string& sku)> set_sku;
    /// Removes the product from what an import reads.
    std::function<void(std::int64_t id)> remove;
    std::function<void(std::int64_t id, const std::map<std::string, std::string>& skus)> make_variants;
  };
  RandomProducts(Store store, unsigned seed) : store_(std::move(store)), random_(seed) {}

  void add() { add("S" + std::to_string(++skus_)); }
  void change() {
    const auto one = any();
    const auto other = any();
    const auto sku = simple_.at(one).sku;
    switch (random_() % 4) {
      case 0:
        remove(one);
        return add(sku);
      case 1: {
        if (one == other) return add();
        remove(one);
        const auto merged = simple_.extract(other).mapped();
        const std::map<std::string, std::string> parts{{"V" + std::to_string(++names_), sku},
                                                       {"V" + std::to_string(++names_), merged.sku}};
        store_.make_variants(other, parts);
        of_variants.insert(parts.begin(), parts.end());
        return add();
      }
      case 2:
        std::swap(simple_.at(one).sku, simple_.at(other).sku);
        store_.set_sku(one, simple_.at(one).sku);
        return store_.set_sku(other, simple_.at(other).sku);
      default:
        // One gets the SKU of another, which is deleted, and whose old SKU a new one gets.
        if (one == other) return add();
        store_.set_sku(one, simple_.at(other).sku);
        simple_.at(one).sku = simple_.at(other).sku;
        remove(other);
        return add(sku);
    }
  }
  std::map<std::string, std::string> of_products() const {
    std::map<std::string, std::string> skus;
    for (const auto& [id, product] : simple_) skus.emplace(product.name, product.sku);
    return skus;
  }
  std::map<std::string, std::string> of_variants;

 private:
  struct Product {
    std::string name, sku;
  };
  void add(const std::string& sku) {
    const auto name = "P" + std::to_string(++names_);
    simple_.emplace(store_.add(name, sku), Product{name, sku});
  }
  std::int64_t any() {
    return std::next(simple_.begin(), static_cast<std::ptrdiff_t>(random_() % simple_.size()))->first;
  }
  void remove(std::int64_t id) {
    simple_.erase(id);
    store_.remove(id);
  }

  Store store_;
  std::mt19937 random_;
  std::map<std::int64_t, Product> simple_;
  int skus_ = 0, names_ = 0;
};

class ImportRandomProducts : public ImportProducts {
 protected:
  /// Changes the products at random, and compares what each import makes of them with what the store has.
  void follow(RandomProducts products, Connection connection) {
    for (int i = 0; i < 10; ++i) products.add();
    connection.sync(60s);
    for (int round = 0; round < 8; ++round) {
      SCOPED_TRACE("round " + std::to_string(round));
      for (int i = 0; i < 3; ++i) products.change();
      EXPECT_EQ(to_json(connection.sync(60s).errors), "[]");
      const auto here = skus();
      const auto of_variants = variant_skus();
      for (const auto& [name, sku] : products.of_products()) {
        ASSERT_TRUE(here.contains(name)) << name;
        EXPECT_EQ(here.at(name), sku) << name;
      }
      for (const auto& [name, sku] : products.of_variants) {
        ASSERT_TRUE(of_variants.contains(name)) << name;
        EXPECT_EQ(of_variants.at(name), sku) << name;
      }
    }
  }
};

TEST_F(ImportRandomProducts, AnImportOfDeletedTrashedAndHiddenProductsEndsAsAFreshOne) {
  int removed = 0;
  const auto remove = [&](std::int64_t id) {
    switch (++removed % 3) {
      case 0:
        return store.delete_product(id);
      case 1:
        return store.change_product(id, {{"status", "trash"}});
      default:
        return store.change_product(id, {{"status", "draft"}, {"sku", "old-" + std::to_string(id)}});
    }
  };
  const auto make_variants = [&](std::int64_t id, const std::map<std::string, std::string>& skus) {
    store.change_product(id, {{"sku", ""}});
    for (const auto& [name, sku] : skus)
      store.add_variation(id, {{"sku", sku}, {"attributes", {{{"name", "C"}, {"option", name}}}}});
  };
  const RandomProducts::Store changes{
      .add = [&](const std::string& name,
                 const std::string& sku) { return store.add_product({{"name", name}, {"sku", sku}}); },
      .set_sku = [&](std::int64_t id, const std::string& sku) { store.change_product(id, {{"sku", sku}}); },
      .remove = remove,
      .make_variants = make_variants};
  follow({changes, 20261201}, connect(store, {.sync_products = true}));
}

TEST_F(ImportRandomProducts, AnImportOfDeletedProductsOfShopifyEndsAsAFreshOne) {
  int variant = 0;
  const auto make_variants = [&](std::int64_t id, const std::map<std::string, std::string>& skus) {
    json::array variants;
    for (const auto& [name, sku] : skus) variants.push_back(variant_of(++variant, name, sku, "1"));
    shop.change_product(id, {{"hasOnlyDefaultVariant", false}, {"variants", std::move(variants)}});
  };
  const RandomProducts::Store changes{
      .add = [&](const std::string& name,
                 const std::string& sku) { return shop.add_product(shopify_product(name, ++variant, sku)); },
      .set_sku =
          [&](std::int64_t id, const std::string& sku) {
            shop.change_product(id, {{"variants", shopify_product("", ++variant, sku).at("variants")}});
          },
      .remove = [&](std::int64_t id) { shop.remove_product(id); },
      .make_variants = make_variants};
  follow({changes, 20261202}, connect_shop());
}

TEST_F(ImportProducts, TheFirstOrdersHaveTheMeasuresOfTheirProductsAndVariants) {
  store.add_product({{"name", "Tee"},
                     {"sku", "TEE-BLUE"},
                     {"weight", "0.2"},
                     {"dimensions", {{"length", "30"}, {"width", "20"}, {"height", "2"}}}});
  const auto shirt = store.add_product({{"name", "Shirt"}, {"sku", "SHIRT"}, {"weight", "0.3"}});
  store.add_variation(shirt, {{"sku", "SHIRT-L"},
                              {"weight", "0.4"},
                              {"dimensions", {{"length", "40"}, {"width", "25"}, {"height", ""}}}});
  const auto plain = store.add_order();
  const json::object line{{"id", 1},       {"name", "Shirt"}, {"sku", "SHIRT-L"},
                          {"quantity", 1}, {"total", "1.00"}, {"price", 1}};
  const auto varied = store.add_order({{"line_items", json::array{line}}});
  auto connection = connect(store, {.sync_products = true});
  EXPECT_EQ(connection.sync().imported, 2);
  const auto dimensions = [&](std::int64_t order) {
    return json::parse(connection.order(order, "items #>> '{0,dimensions}'"));
  };
  EXPECT_EQ(dimensions(plain), json::parse(R"({"length": 30, "width": 20, "height": 2, "weight": 0.2})"));
  const auto of_variant = dimensions(varied);
  EXPECT_EQ(to_json(of_variant.at("length")), "40");
  EXPECT_EQ(to_json(of_variant.at("width")), "25");
  EXPECT_EQ(to_json(of_variant.at("weight")), "0.4");
  EXPECT_EQ(product("variants #>> '{0,dimensions,length}'"), "40");
}

TEST_F(ImportProducts, OrdersAreImportedAlthoughProductsCannotBeRead) {
  store.add_product({{"name", "Tee"}, {"sku", "TEE-BLUE"}});
  const auto order = store.add_order();
  store.fail(broken_products(), each_call);
  auto connection = connect(store, {.sync_products = true});
  const auto run = connection.sync(60s);
  EXPECT_EQ(run.counts(), "1 imported, 0 updated, 0 unchanged, 0 failed");
  EXPECT_EQ(run.reason(), "The store answers 500.");
  EXPECT_EQ(connection.value("products_failures"), "1");
  EXPECT_EQ(connection.value("failures"), "0") << "orders do not wait";
  EXPECT_EQ(connection.value("products_due_at > now() + interval '40 seconds'"), "t");
  store.change_order(order, {{"status", "cancelled"}});
  EXPECT_EQ(connection.sync(60s).updated, 1) << "a requested import reads the products again";
  EXPECT_EQ(connection.value("products_failures"), "2");
  store.stop_failing();
  EXPECT_TRUE(connection.sync().errors.empty());
  EXPECT_EQ(product("sku", "Tee"), "TEE-BLUE");
  EXPECT_EQ(connection.value("products_failures"), "0");
  EXPECT_EQ(connection.value("products_due_at"), "");
}

TEST_F(ImportProducts, ACancellationDoesNotWaitWhileProductsCannotBeRead) {
  store.fail(broken_products(), each_call);
  const auto order = store.add_order();
  auto connection = connect(store, {.auto_import = true, .sync_products = true});
  ASSERT_TRUE(eventually([&] { return connection.value("products_failures") == "1"; }));
  ASSERT_EQ(connection.orders(), 1);
  const auto asked = store.count("GET", "products");
  store.change_order(order, {{"status", "cancelled"}});
  EXPECT_TRUE(eventually([&] { return connection.order(order, "status") == "cancelled"; }));
  EXPECT_EQ(store.count("GET", "products"), asked) << "products wait as before";
}

TEST_F(ImportProducts, ErrorsOfProductsLeaveRoomForThoseOfOrders) {
  for (int i = 0; i < 60; ++i) store.add_product({{"name", "P" + std::to_string(i)}, {"price", "9,90"}});
  const auto bad = store.add_order({{"total", "-1.00"}});
  auto connection = connect(store, {.sync_products = true});
  const auto run = connection.sync(60s);
  ASSERT_EQ(run.errors.size(), 51U);
  EXPECT_EQ(run.errors.at(50).at("externalId").as_string(), std::to_string(bad));
}

}  // namespace
}  // namespace waybill::tests
