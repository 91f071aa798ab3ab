#include "templates/builtin.hpp"

#include <set>

#include <gtest/gtest.h>

#include "templates/parts.hpp"

namespace waybill::templates {
namespace {

std::string rendered(std::string_view text, const json::object& context, Escape escape) {
  WorkBudget budget(max_work);
  return render(text, context, escape, {}, budget);
}

TEST(BuiltInTemplates, AreCompleteMailsThatParse) {
  ASSERT_GE(built_in_templates().size(), 10U);
  std::set<std::string> codes;
  for (const BuiltIn& built_in : built_in_templates()) {
    EXPECT_TRUE(codes.insert(built_in.code).second) << built_in.code;
    EXPECT_FALSE(built_in.name.empty()) << built_in.code;
    EXPECT_TRUE(built_in.code.starts_with(domain::record_type(built_in.entity_type).label)) << built_in.code;
    EXPECT_EQ(built_in.subject.find('\n'), std::string::npos) << built_in.code;
    for (const std::string& text : {built_in.subject, built_in.body, built_in.html}) {
      EXPECT_FALSE(text.empty()) << built_in.code;
      EXPECT_EQ(mustache_problem(text), std::nullopt) << built_in.code;
      const auto parsed = Template::parse(text);
      EXPECT_TRUE(std::get<Template>(parsed).partials().empty()) << built_in.code;
    }
  }
}

TEST(BuiltInTemplates, HaveTheSameGuidEverywhere) {
  const BuiltIn* const built_in = find_built_in("order_shipped");
  ASSERT_NE(built_in, nullptr);
  EXPECT_EQ(built_in->guid, Guid::from_name(namespace_url, "waybill:template:order_shipped"));
  EXPECT_EQ(find_built_in(built_in->guid), built_in);
  EXPECT_EQ(find_built_in("order_unknown"), nullptr);
  EXPECT_EQ(find_built_in(Guid{}), nullptr);
}

TEST(BuiltInTemplates, GreetCustomersByNameAndTolerateMissingValues) {
  const BuiltIn& shipped = *find_built_in("order_shipped");
  const auto render_html = [&](std::string_view context) {
    return rendered(shipped.html, json::parse(context).as_object(), Escape::html);
  };
  EXPECT_NE(render_html(R"({"customer": {"name": "A & B"}, "carrier": {"name": "DHL"}})")
                .find("<p>Hello A &amp; B,</p>"),
            std::string::npos);
  EXPECT_NE(render_html(R"({"customer": null, "carrier": null})").find("<p>Hello,</p>"), std::string::npos);
}

TEST(BuiltInTemplates, LinkToTheTrackingPageIfThereIsOne) {
  const std::string_view shipment =
      R"({"trackingNumber": "WB1", "trackingUrl": "https://a.example/track/0f"})";
  const auto order = R"({"liveShipments": [)" + std::string(shipment) + R"(, {"trackingNumber": "WB2"}]})";
  int with_link = 0;
  for (const BuiltIn& built_in : built_in_templates()) {
    const bool is_order = built_in.code == "order_shipped" || built_in.code == "order_delivered";
    if (!is_order && built_in.entity_type != domain::EntityType::shipment) continue;
    ++with_link;
    const auto context = json::parse(is_order ? std::string_view(order) : shipment).as_object();
    EXPECT_NE(
        rendered(built_in.body, context, Escape::none).find("Follow it here: https://a.example/track/0f\n"),
        std::string::npos)
        << built_in.code;
    const auto html = rendered(built_in.html, context, Escape::html);
    const auto link = html.find("<a href=\"https://a.example/track/0f\">");
    EXPECT_NE(link, std::string::npos) << built_in.code;
    EXPECT_EQ(html.find("<a ", link + 1), std::string::npos) << "the second shipment has no page";
    EXPECT_EQ(rendered(built_in.body, {}, Escape::none).find("Follow"), std::string::npos);
  }
  EXPECT_EQ(with_link, 8);
}

TEST(BuiltInTemplates, ShowAmountsAndDatesAsPeopleReadThem) {
  const auto context =
      json::parse(R"({"totalValue": 19.9, "currency": "EUR", "collectionDate": "2026-12-05T20:30:00.000Z",
      "formatted": {"totalValue": "19.90", "collectionDate": "2026-12-06"}})")
          .as_object();
  for (const auto& [code, text] :
       {std::pair("order_created", "19.90 EUR"), std::pair("order_collection_scheduled", "2026-12-06")}) {
    const BuiltIn& built_in = *find_built_in(code);
    EXPECT_NE(rendered(built_in.body, context, Escape::none).find(text), std::string::npos) << code;
    EXPECT_NE(rendered(built_in.html, context, Escape::html).find(text), std::string::npos) << code;
  }
}

TEST(BuiltInTemplates, AddressTheRecipientOfAnOrder) {
  const BuiltIn& created = *find_built_in("order_created");
  const auto body = [&](std::string_view address) {
    const auto context = R"({"name": "outer", "deliveryAddress": )" + std::string(address) + "}";
    return rendered(created.body, json::parse(context).as_object(), Escape::none);
  };
  EXPECT_NE(body(R"({"name": "Grace", "company": "Navy", "street": "S 1", "postalCode": "1", "city": "C"})")
                .find("It goes to:\nGrace\nNavy\nS 1\n1 C\n"),
            std::string::npos);
  EXPECT_NE(body(R"({"name": null, "company": null, "street": "S 1", "postalCode": "1", "city": "C"})")
                .find("It goes to:\nS 1\n1 C\n"),
            std::string::npos);
}

}  // namespace
}  // namespace waybill::templates
