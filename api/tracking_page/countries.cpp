#include "api/tracking_page/countries.hpp"

#include <algorithm>
#include <array>

#include "api/tracking_page/texts.hpp"
#include "base/ascii.hpp"

namespace waybill::api {
namespace {

struct Country {
  std::string_view code;
  Text name;
};

constexpr auto countries = std::to_array<Country>({
    {"AD", {"Andorra", "Andorra", "Andorre", "Andorra", "Andorra"}},
    {"AE",
     {"United Arab Emirates", "Vereinigte Arabische Emirate", "Émirats arabes unis", "Emiratos Árabes Unidos",
      "Emirados Árabes Unidos"}},
    {"AO", {"Angola", "Angola", "Angola", "Angola", "Angola"}},
    {"AR", {"Argentina", "Argentinien", "Argentine", "Argentina", "Argentina"}},
    {"AT", {"Austria", "Österreich", "Autriche", "Austria", "Áustria"}},
    {"AU", {"Australia", "Australien", "Australie", "Australia", "Austrália"}},
    {"BE", {"Belgium", "Belgien", "Belgique", "Bélgica", "Bélgica"}},
    {"BG", {"Bulgaria", "Bulgarien", "Bulgarie", "Bulgaria", "Bulgária"}},
    {"BR", {"Brazil", "Brasilien", "Brésil", "Brasil", "Brasil"}},
    {"CA", {"Canada", "Kanada", "Canada", "Canadá", "Canadá"}},
    {"CH", {"Switzerland", "Schweiz", "Suisse", "Suiza", "Suíça"}},
    {"CL", {"Chile", "Chile", "Chili", "Chile", "Chile"}},
    {"CN", {"China", "China", "Chine", "China", "China"}},
    {"CO", {"Colombia", "Kolumbien", "Colombie", "Colombia", "Colômbia"}},
    {"CY", {"Cyprus", "Zypern", "Chypre", "Chipre", "Chipre"}},
    {"CZ", {"Czechia", "Tschechien", "Tchéquie", "Chequia", "Chéquia"}},
    {"DE", {"Germany", "Deutschland", "Allemagne", "Alemania", "Alemanha"}},
    {"DK", {"Denmark", "Dänemark", "Danemark", "Dinamarca", "Dinamarca"}},
    {"EC", {"Ecuador", "Ecuador", "Équateur", "Ecuador", "Equador"}},
    {"EE", {"Estonia", "Estland", "Estonie", "Estonia", "Estónia"}},
    {"ES", {"Spain", "Spanien", "Espagne", "España", "Espanha"}},
    {"FI", {"Finland", "Finnland", "Finlande", "Finlandia", "Finlândia"}},
    {"FR", {"France", "Frankreich", "France", "Francia", "França"}},
    {"GB", {"United Kingdom", "Vereinigtes Königreich", "Royaume-Uni", "Reino Unido", "Reino Unido"}},
    {"GR", {"Greece", "Griechenland", "Grèce", "Grecia", "Grécia"}},
    {"HR", {"Croatia", "Kroatien", "Croatie", "Croacia", "Croácia"}},
    {"HU", {"Hungary", "Ungarn", "Hongrie", "Hungría", "Hungria"}},
    {"IE", {"Ireland", "Irland", "Irlande", "Irlanda", "Irlanda"}},
    {"IL", {"Israel", "Israel", "Israël", "Israel", "Israel"}},
    {"IN", {"India", "Indien", "Inde", "India", "Índia"}},
    {"IS", {"Iceland", "Island", "Islande", "Islandia", "Islândia"}},
    {"IT", {"Italy", "Italien", "Italie", "Italia", "Itália"}},
    {"JP", {"Japan", "Japan", "Japon", "Japón", "Japão"}},
    {"KR", {"South Korea", "Südkorea", "Corée du Sud", "Corea del Sur", "Coreia do Sul"}},
    {"LI", {"Liechtenstein", "Liechtenstein", "Liechtenstein", "Liechtenstein", "Liechtenstein"}},
    {"LT", {"Lithuania", "Litauen", "Lituanie", "Lituania", "Lituânia"}},
    {"LU", {"Luxembourg", "Luxemburg", "Luxembourg", "Luxemburgo", "Luxemburgo"}},
    {"LV", {"Latvia", "Lettland", "Lettonie", "Letonia", "Letónia"}},
    {"MA", {"Morocco", "Marokko", "Maroc", "Marruecos", "Marrocos"}},
    {"MC", {"Monaco", "Monaco", "Monaco", "Mónaco", "Mónaco"}},
    {"MT", {"Malta", "Malta", "Malte", "Malta", "Malta"}},
    {"MX", {"Mexico", "Mexiko", "Mexique", "México", "México"}},
    {"MZ", {"Mozambique", "Mosambik", "Mozambique", "Mozambique", "Moçambique"}},
    {"NL", {"Netherlands", "Niederlande", "Pays-Bas", "Países Bajos", "Países Baixos"}},
    {"NO", {"Norway", "Norwegen", "Norvège", "Noruega", "Noruega"}},
    {"NZ", {"New Zealand", "Neuseeland", "Nouvelle-Zélande", "Nueva Zelanda", "Nova Zelândia"}},
    {"PE", {"Peru", "Peru", "Pérou", "Perú", "Peru"}},
    {"PL", {"Poland", "Polen", "Pologne", "Polonia", "Polónia"}},
    {"PT", {"Portugal", "Portugal", "Portugal", "Portugal", "Portugal"}},
    {"RO", {"Romania", "Rumänien", "Roumanie", "Rumanía", "Roménia"}},
    {"RS", {"Serbia", "Serbien", "Serbie", "Serbia", "Sérvia"}},
    {"SE", {"Sweden", "Schweden", "Suède", "Suecia", "Suécia"}},
    {"SG", {"Singapore", "Singapur", "Singapour", "Singapur", "Singapura"}},
    {"SI", {"Slovenia", "Slowenien", "Slovénie", "Eslovenia", "Eslovénia"}},
    {"SK", {"Slovakia", "Slowakei", "Slovaquie", "Eslovaquia", "Eslováquia"}},
    {"TR", {"Türkiye", "Türkei", "Turquie", "Turquía", "Turquia"}},
    {"UA", {"Ukraine", "Ukraine", "Ukraine", "Ucrania", "Ucrânia"}},
    {"US", {"United States", "Vereinigte Staaten", "États-Unis", "Estados Unidos", "Estados Unidos"}},
    {"UY", {"Uruguay", "Uruguay", "Uruguay", "Uruguay", "Uruguai"}},
    {"ZA", {"South Africa", "Südafrika", "Afrique du Sud", "Sudáfrica", "África do Sul"}},
});
static_assert(std::ranges::is_sorted(countries, {}, &Country::code));

}  // namespace

std::string_view country_name(std::string_view country, Language language) {
  if (country.size() != 2) return country;
  const std::array<char, 2> upper{ascii_upper(country[0]), ascii_upper(country[1])};
  const std::string_view code(upper.data(), upper.size());
  const auto* const found = std::ranges::lower_bound(countries, code, {}, &Country::code);
  return found != countries.end() && found->code == code ? found->name.in(language) : country;
}

}  // namespace waybill::api
