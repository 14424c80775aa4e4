"""Words of English by which the forms of statements are found, as alternatives of patterns."""


def alternatives(phrases: str) -> str:
    """Return a pattern that matches each of the phrases, which are divided by slashes."""
    return "|".join(" ".join(phrase.split()) for phrase in phrases.split("/"))


ADVERBS = alternatives(
    """really / just / also / still / actually / currently / now / always / usually / generally / recently / already /
    totally / definitely / finally / absolutely / mostly / personally / both / never / no longer / rarely / normally
    / mainly / sometimes / only / even / especially / particularly / strongly / deeply / hardly ever / barely /
    often / mostly / typically / exclusively / officially / legally / severely / slightly / quite / very / pretty /
    extremely / terribly / partially / basically / happily / proudly"""
)

LASTING_ADVERBS = alternatives(
    """always / never / usually / only / rarely / hardly ever / normally / generally / typically / mostly /
    exclusively"""
)
"""Adverbs by which a verb says a habit."""

FREQUENCIES = alternatives(
    r"""every (?:single )?(?:other )?(?:day|morning|evening|night|week|weekend|month|year|summer|winter|\w+day)s? / each
    (?:day|morning|evening|night|week|month|year|summer|winter) / daily / weekly / monthly / on weekdays / on
    weekends / (?:once|twice|\w+ times) (?:a|per) (?:day|week|month|year) / most (?:days|mornings|evenings|weekends)
    / all year round / on \w+days / in the mornings / in the evenings / at weekends / year-round / whenever possible"""
)
"""Expressions of how often something is done."""

KIN = alternatives(
    r"""wife / husband / partner / fianc[eé]e? / girlfriend / boyfriend / spouse / mother / mom / mum / father / dad /
    mam / mama / papa / parents / sisters? / brothers? / siblings / sons? / daughters? / kids? / child / children /
    baby / toddler / twins / grandma / grandpa / granny / grandad / nan / grandmother / grandfather / grandparents /
    aunt / uncle / cousins? / nieces? / nephews? / grandsons? / granddaughters? / grandchild / grandchildren /
    grandkids / stepson / stepdaughter / stepmother / stepfather / stepmom / stepdad / mother-in-law / father-in-law
    / sister-in-law / brother-in-law / daughter-in-law / son-in-law / \d+[- ]year[- ]olds? / little one / roommates?
    / flatmates? / housemates? / boss / manager / co-founder / business partner / best friend / supervisor / dogs? /
    cats? / puppy / kittens? / horse / rabbit / parrot / team / company / family / in-laws / godson / goddaughter /
    neighbou?rs? / landlord / landlady / tenants? / ex / ex-wife / ex-husband"""
)
"""Persons, animals and groups that belong to someone."""

ROLES = alternatives(
    r"""supervisor / mentor / team lead / lead / teacher / professor / landlord / landlady / neighbou?r / colleague /
    coworker / co-worker / business partner / cofounder / doctor / therapist / coach / accountant / lawyer / best
    man / maid of honou?r / godfather / godmother / student / apprentice / trainer / tutor / advisor / classmate /
    ceo / cto / cfo / product owner / scrum master / head of \w+"""
)
"""Roles of a person for another."""

ANIMALS = alternatives(
    """dogs? / cats? / puppy / puppies / kittens? / pets? / horses? / ponies / pony / parrots? / rabbits? / turtles? /
    tortoises? / snakes? / birds? / chickens / hens / ducks / geese / goats? / sheep / cows? / pigs? / alpacas? /
    bees / beehives? / hives? / guinea pigs? / hamsters? / ferrets? / lizards? / geckos? / fish / aquariums? /
    budgies / greyhounds? / labradors? / retrievers? / poodles? / spaniels? / terriers? / dachshunds? / donkeys?"""
)

ILLNESSES = alternatives(
    r"""allerg(?:y|ies) / asthma / (?:type \w+ )?diabetes / adhd / add / arthritis / migraines? / epilepsy /
    parkinson'?s / alzheimer'?s / dementia / eczema / psoriasis / dyslexia / dyscalculia / autism / depression /
    anxiety / insomnia / sciatica / tinnitus / an[a]?emia / hypertension / (?:high|low) blood pressure / high
    cholesterol / coeliac disease / celiac disease / celiac / coeliac / crohn'?s / ibs / pcos / endometriosis /
    fibromyalgia / ocd / ptsd / ms / multiple sclerosis / hay fever / scoliosis / osteoporosis / glaucoma /
    cataracts / gout / lupus / copd / cancer / a pacemaker / hearing aids? / prosthesis / prosthetic leg / bad
    (?:back|knees?|hip|shoulder|eyesight|heart) / heart (?:condition|disease) / fear of \w+ / sense of
    (?:smell|taste|direction) / thyroid (?:condition|disease) / herniated disc / intolerance / intolerances / phobia
    / rsi / carpal tunnel / vertigo / stutter / poor eyesight / sleep apn(?:ea|oea) / long covid / hashimoto'?s"""
)
"""States of health that last."""

HOME = alternatives(
    """car / truck / van / camper(?:van)? / motorhome / bikes? / e-bike / bicycles? / motorcycle / motorbike / scooter
    / boat / sailboat / piano / guitars? / violin / cello / drum kit / house / cottage / apartment / flat / condo /
    balcony / terrace / garden / allotment / greenhouse / backyard / farm / vineyard / orchard / garage / basement /
    workshop / hob / oven / stove / freezer / dishwasher / microwave / air fryer / fireplace / wood burner / heat
    pump / solar panels / sauna / pool / tumble dryer / washing machine / driving licence / driver'?s license /
    licence / tv / television / smartphone / printer / sewing machine / telescope / kayak / caravan / driveway / air
    conditioning"""
)
"""Things of a household."""

BELONGINGS = alternatives(
    f"""{ANIMALS} / {ILLNESSES} / {HOME} / kids? / child / children / sons? / daughters? / sisters? / brothers? /
    siblings? / cousins? / twins / wife / husband / girlfriend / boyfriend / partner / roommates? / grandchildren /
    grandkids / grandsons? / granddaughters? / nieces? / nephews? / stepchildren / degrees? / phd / master's /
    bachelor's / tattoos? / scholarship / podcast / blog / business / shop / restaurant / youtube channel /
    employees / citizenship / passports? / work permit / wheelchair / green card / co-founders? / apprentices? /
    flatmates? / housemates?"""
)
"""Persons, animals and things that somebody has for long."""

VENTURES = alternatives(
    """studio / shops? / stores? / boutique / business / compan(?:y|ies) / startup / start-up / restaurants? /
    caf[eé]s? / bar / pub / bakery / brewery / farm / vineyard / practice / clinic / agency / firm / blog / podcast
    / channel / newsletter / club / school / kindergarten / charity / nonprofit / non-profit / ngo / teams? / choir
    / orchestra / band / gallery / hotel / hostel / guesthouse / b&b / salon / workshop / garage / kennel / nursery
    / library / museum / department / bookshop / bookstore / food truck / webshop / online shop / etsy shop /
    consultancy / property / properties / apartments? / flats? / houses? / cottages? / campsite / gym / laboratory /
    lab / foundation / stall / pharmacy / meetup / book club / homelab / dairy / orchard / ranch / theat(?:er|re) /
    label / franchise / hardware store"""
)
"""Businesses and groups that somebody runs or owns."""

PROJECTS = alternatives(
    """thesis / dissertation / phd / master's / book / novel / memoir / cookbook / textbook / biography / game / app /
    website / web app / library / framework / compiler / plugin / extension / startup / company / course / podcast /
    album / house / cabin / boat / shed / tiny house / van / robot / platform / marketplace / synth / guitar / quilt
    / film / documentary / musical / screenplay / comic / graphic novel / trilogy / web shop / webshop / saas /
    newsletter / tool / operating system / database / simulator / chatbot / language / greenhouse / extension /
    kitchen / bathroom / farmhouse / motorcycle / car"""
)
"""Works that take months."""

MAKES = alternatives(
    r"""canon / nikon / sony / fuji\w* / leica / gopro / thinkpad / macbook / imac / mac / iphone / ipad / pixel /
    samsung / galaxy / dell / lenovo / asus / framework / surface / chromebook / raspberry / kindle / kobo /
    remarkable / playstation / ps5 / xbox / switch / steam deck / garmin / fitbit / apple watch / fender / gibson /
    yamaha / roland / korg / steinway / bosch / miele / siemens / smeg / aga / delonghi / gaggia / rancilio /
    breville / jura / kitchenaid / thermomix / tesla / toyota / honda / ford / vw / volkswagen / skoda / volvo / bmw
    / audi / mercedes / renault / peugeot / citro[eë]n / fiat / kia / hyundai / mazda / subaru / nissan / dacia /
    opel / brompton / trek / specialized / giant / canyon / triumph / vespa / ducati / prusa / ender / bernina /
    singer / husqvarna / stihl / weber"""
)
"""Makes of things that people keep for years."""

POSSESSIONS = alternatives(
    """car / bike / motorcycle / motorbike / van / truck / boat / camera / laptop / phone / computer / desktop / pc /
    tablet / tv / guitar / piano / violin / house / flat / apartment / oven / printer / router / sewing machine /
    coffee machine / espresso machine / telescope / server / nas / keyboard / headphones / watch / garden / balcony
    / kitchen / scooter"""
)
"""Things that have a make or a place."""

SYSTEMS = alternatives(
    """stack / tech stack / backend / frontend / database / codebase / monorepo / repo / api / ci / pipelines? /
    cluster / infrastructure / servers? / services / website / tests / builds / deployments / app / product /
    platform / shop / team / company / office / firm / school / department"""
)
"""Systems and groups of people who work together."""

ATTRIBUTES = alternatives(
    """name / nickname / pronouns / birthday / anniversary / birth date / hometown / major / minor / job / job title /
    occupation / profession / address / native language / first language / mother tongue / nationality / time zone /
    timezone / deadline / budget / goal / blood type / shoe size / dress size / height / star sign / religion /
    salary / rent / degree / thesis topic / due date / bedtime / retirement"""
)
"""Attributes of a person or a project that have one value."""

SUBJECTS = alternatives(
    """sales / marketing / finance / hr / it / insurance / tech / construction / logistics / retail / education /
    healthcare / hospitality / banking / real estate / accounting / journalism / advertising / publishing / academia
    / consulting / politics"""
)
"""Lines of work."""

EMPTY_VALUES = alternatives(
    """so / very / really / going / not / necessary / failing / stuck / running / tight / wrong / small / delayed /
    cancelled / canceled / late / over / done / pending / empty / null / none / undefined / broken / fine / ok / too
    / boring / stressful / killing / hard / easy / ruined / gone / near / close / coming / soon / like / just /
    still / limited / flexible / it / there / here / missing / hell / important / irrelevant / great / good / bad /
    nice / a mess / a joke / a pain / a nightmare / what / how / why"""
)
"""Values of an attribute that say nothing lasting."""

NATIONALITIES = alternatives(
    """american / argentinian / australian / austrian / belgian / brazilian / british / bulgarian / canadian / chilean
    / chinese / colombian / croatian / cuban / czech / danish / dutch / egyptian / english / estonian / ethiopian /
    filipino / filipina / finnish / flemish / french / georgian / german / ghanaian / greek / hungarian / icelandic
    / indian / indonesian / iranian / iraqi / irish / israeli / italian / jamaican / japanese / kenyan / korean /
    latvian / lebanese / lithuanian / malaysian / mexican / moroccan / nepali / new zealander / nigerian / norwegian
    / pakistani / palestinian / persian / peruvian / polish / portuguese / romanian / russian / scottish / serbian /
    slovak / slovenian / south african / spanish / swedish / swiss / syrian / taiwanese / thai / tunisian / turkish
    / ukrainian / venezuelan / vietnamese / welsh"""
)

STATES = alternatives(
    rf"""allergic to (?!(?:\w+ )?(?:meetings|mondays|mornings|work|people|drama|exercise|stupidity|nonsense)\b)\w+ /
    intolerant to \w+ / vegetarian / vegan / a vegetarian / a vegan / pescatarian / a pescatarian / married(?! to
    (?:my|the) (?:job|work|idea))/ single / divorced / engaged / widowed / a widow / a widower / retired /
    unemployed / pregnant / left-handed / right-handed / a left-hander / colou?r[ -]?blind / diabetic / (?:an?
    )?(?:type \w+ )diabetic / asthmatic / epileptic / dyslexic / autistic / neurodivergent / deaf /
    (?:legally|partially) blind / blind in \w+ / hard of hearing / hearing-impaired / visually impaired /
    short-sighted / near-sighted / nearsighted / an[a]?emic / coeliac / celiac / a celiac / a coeliac / lactose
    intolerant / lactose-intolerant / gluten intolerant / gluten-intolerant / gluten-free / bilingual / trilingual /
    an only child / a (?:single |stay-at-home |new
    )?(?:mother|mom|mum|father|dad|parent|grandmother|grandfather|grandma|grandpa) / a twin / transgender / trans /
    nonbinary / non-binary / gay / bisexual / asexual / a lesbian / straight-edge / self-employed / freelance / a
    freelancer / an? (?:[\w-]+ ){{0,2}}student / a (?:\w+ )?major / jewish / muslim / christian / catholic /
    protestant / buddhist / hindu / sikh / orthodox / an atheist / atheist / religious / an introvert / introverted
    / an extrovert / extroverted / shy / afraid of \w+ / scared of \w+ / terrified of \w+ / claustrophobic / a
    (?:morning|night|early|cat|dog|coffee|tea) (?:person|owl|bird|lover|drinker) / an early (?:bird|riser) / a night
    owl / a (?:heavy|light) sleeper / a (?:non-)?smoker / a teetotall?er / teetotal / a native \w+ speaker / a
    (?:\w+ )?citizen / a refugee / an immigrant / an expat / a veteran / a beekeeper / a widowed \w+ / an orphan /
    (?:half )?(?:{NATIONALITIES})(?:$|-\w+| (?:and|but|by)\b) / registered as \w+ / registered with \w+ / (?:\w+
    )?(?:metres?|meters?|feet|foot|cm) tall / a member of \w+ / on (?:parental|maternity|paternity|sick) leave / on
    (?:metformin|insulin|blood thinners|antidepressants|medication|beta blockers|statins|lithium|a (?:[\w-]+ )?diet)
    / (?:good|bad|terrible|hopeless|great) (?:at|with)
    (?:maths?|languages|numbers|names|faces|cooking|drawing|heights|\w+ing) / (?:more|much) of an? [\w-]+ / not a
    (?:morning|night|cat|dog|people|coffee|tea) person / dairy-free / in a wheelchair / in my (?:\w+ies|\d0s|(?:\w+
    )?year of \w+)"""
)
"""States of a person that last, behind "I am"."""

APPOINTMENTS = alternatives(
    """meeting / appointment / interview / exam / test / flight / presentation / surgery / concert / game / match /
    competition / race / recital / deadline / reservation / trip / wedding / class / performance / show / audition /
    checkup / call / demo / conference / operation / defen[cs]e / viva / hearing / mri / scan / marathon /
    graduation"""
)

EMPTY_OBJECTS = alternatives(
    r"""blast / time / day / night / week / weekend / milestone / setback / breakthrough / fun / moment / things? /
    stuff / well / great / good / okay / ok / better / nothing / something / lot / bit / look / break / while / talk
    / chat / few / feeling / tests? / scripts? / builds? / errors? / bugs? / updates? / commands? / code / files? /
    fix / logs? / quer(?:y|ies) / bus / train / shower / nap / coffee / lunch / breakfast / dinner / sleep / branch
    / commits? / emails? / mails? / messages? / issues? / problems? / ride / walk / laugh / drink / snack / headache
    / jog / stroll / functions? / class / tables? / servers? / containers? / pages? / forms? / account / tickets? /
    orders? / packages? / parcels? / calls? / meetings? / channels? / reply / version / app / drivers? / patch /
    backup / images? / docs? / manual / articles? / tutorials? / videos? / ready / (?:like|about|around|for|until)
    \d"""
)
"""Objects of verbs, by which an event says nothing that is worth a memory."""

BOUND_OBJECTS = alternatives(
    r"""option / options / version / variant / number / draft / answer / idea / ideas / suggestion / sentence / title /
    first / second / third / last / latter / former / other / another / more / less / either / neither / plan [a-z]
    / \d / [a-z]$ / when / if / waiting / getting / being / paying / having to / debugging / fixing / explaining /
    rewriting / merging / mondays$ / your"""
)
"""Words that begin what is liked of a choice at hand, or with irony."""

VAGUE_OBJECTS = alternatives(
    """it / that / this / these / those / them / him+ / her / he / she / they / you / ya / your / what / how /
    something / anything / nothing / one / ones / some / such / both / there / here / so / to say / to hear / to see
    / to think / hearing(?! aid) / my new / his / their / its / where / when / why / who / which / too / a few /
    everything$ / all$ / all that / all the / more / better / stuff / things"""
)
"""Words that begin an object that is not named in the sentence."""

BAD_COMPANY = alternatives(
    """bit / little / mess / pain / genius / idiot / nightmare / lot / jerk / joke / good / great / bad / real / total
    / complete / huge / big / disaster / brick / legend / hero / star / angel / monster / liar / fool / clown /
    baby$ / lost"""
)
"""Words behind "is a" of what somebody thinks of another at the moment."""
