#include "net/maps/nominatim.hpp"

#include <gtest/gtest.h>

#include "net/maps/osrm.hpp"

namespace waybill::net {
namespace {

HttpResponse answer(int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

TEST(Nominatim, RequestsTheAddressInItsParts) {
  const auto request = nominatim_request("http://maps:8080", {.street = "Rua Augusta 1",
                                                              .city = "Lisboa & São",
                                                              .state = {},
                                                              .postal_code = "1100",
                                                              .country = "PT"});
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(
      request.url,
      "http://maps:8080/search?format=jsonv2&limit=1&street=Rua%20Augusta%201&city=Lisboa%20%26%20S%C3%A3o"
      "&postalcode=1100&country=PT");
  EXPECT_FALSE(request.guarded) << "the URL is the operator's";
  EXPECT_LE(request.total_timeout, std::chrono::seconds(5));
}

TEST(Nominatim, RequestsThePostalCodeWithoutItsCountry) {
  const auto url = nominatim_request("http://maps", {.postal_code = "SE-111 22", .country = "SE"}).url;
  EXPECT_TRUE(url.ends_with("&postalcode=111%2022&country=SE")) << url;
}

TEST(Nominatim, TakesTheFirstPlace) {
  EXPECT_EQ(read_nominatim(answer(200, R"([{"lat":"38.7","lon":"-9.1","name":"x"},{"lat":"1","lon":"2"}])")),
            (domain::Point{38.7, -9.1}));
}

TEST(Nominatim, OtherAnswersAreNotAPlace) {
  for (const auto* const body : {"", "[]", "{}", "[1]", "[{}]", R"([{"lat":38.7,"lon":-9.1}])",
                                 R"([{"lat":"91","lon":"0"}])", R"([{"lat":"x","lon":"0"}])",
                                 R"([{"lat":"0","lon":"-0.0"}])", R"([{"lat":"1","lon":"181"}])", "<html>"}) {
    EXPECT_EQ(read_nominatim(answer(200, body)), std::nullopt) << body;
  }
  EXPECT_EQ(read_nominatim(answer(500, R"([{"lat":"1","lon":"2"}])")), std::nullopt);
  HttpResponse failed;
  failed.failure = HttpFailure::timeout;
  EXPECT_EQ(read_nominatim(failed), std::nullopt);
}

TEST(Osrm, RequestsTheWholeTable) {
  const std::vector<domain::Point> points{{38.7, -9.1}, {41.15, -8.61}};
  EXPECT_EQ(osrm_table_request("http://osrm", points).url,
            "http://osrm/table/v1/driving/-9.100000,38.700000;-8.610000,41.150000?annotations=distance");
}

TEST(Osrm, ReadsKilometresRowByRow) {
  EXPECT_EQ(read_osrm_table(answer(200, R"({"code":"Ok","distances":[[0,1500],[null,0]]})"), 2),
            (std::vector<double>{0, 1.5, -1, 0}));
}

TEST(Osrm, OtherAnswersAreNotATable) {
  for (const auto* const body :
       {"", "[]", "{}", R"({"distances":1})", R"({"distances":[[0,1]]})", R"({"distances":[[0],[1]]})",
        R"({"distances":[[0,"x"],[1,0]]})", R"({"distances":[1,2]})"}) {
    EXPECT_EQ(read_osrm_table(answer(200, body), 2), std::nullopt) << body;
  }
  EXPECT_EQ(read_osrm_table(answer(400, R"({"distances":[[0,1],[1,0]]})"), 2), std::nullopt);
}

}  // namespace
}  // namespace waybill::net
