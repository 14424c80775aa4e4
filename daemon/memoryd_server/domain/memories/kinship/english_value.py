"""English: names of attributes, classes of values, and words that mean the same."""

from memoryd_server.domain.memories.kinship.language import classes, table

NOUNS = table(
    """
        birthday, date of birth, birth date, birthdate = birthday
        birthplace, place of birth = birthplace
        hometown, home town = origin
    home city, city, residence, place of residence, home = home
        employer, company = employer
        job, occupation, profession, job title, title, role, position = job
        boss, manager, supervisor, line manager = boss
        husband, wife, spouse = spouse
        fiancé, fiancee, fiancée, fiance = fiancé
        boyfriend, girlfriend, partner = partner
        name, first name, real name, full name = name
        surname, last name, maiden name = surname
        nickname = nickname
        age = age
        car, vehicle = car
        email, email address, e-mail, e-mail address, mail address = email
        phone, phone number, telephone number, mobile number, cell number, number = phone
        address, home address = address
        native language, mother tongue, first language = native language
        nationality, citizenship = nationality
        deadline, due date, submission date = due
        date, time, start time, start date = time
        end date, end time = end
        price, cost, rent, fee = price
        salary, income = income
        version, current version = version
        port, port number = port
        password, passphrase, pin, passcode, code, pin code = password
        username, user name, login, handle = username
        status, state = status
        budget = budget
        capital = capital
        blood type, blood group = blood type
        height = height
        weight = weight
        shoe size = shoe size
        database, db = database
        editor, ide = editor
        operating system, os = platform
        timezone, time zone = timezone
        limit, timeout, quota, threshold, rate limit = limit
        owner = owner
        ceo, cto, cfo, president, chairman, director, mayor, captain, leader, team lead, lead, head = leader
        seat, seat number = seat
        flight number = flight number
        room, room number = room
        location, venue = place
        url, website, homepage = url
        size, length, width, duration, speed, temperature, score, rating, rate, amount, total, volume,
            capacity, interval, frequency = measure
        goal weight, target = target
        diet = diet
        religion = religion
        dentist, doctor, therapist, landlord, landlady = doctor
        default branch, branch, repository, repo = repository
        zip code, postal code, postcode = postcode
        license, licence = license
        emergency contact, best friend = contact
    """
)

CLASSES = classes(
    """
        family: single, married, divorced, widowed, engaged, separated, unmarried, a widow, a widower, a bachelor
        diet: vegetarian, vegan, pescatarian, omnivore, carnivore, keto, paleo, a vegetarian, a vegan, a
            pescatarian, an omnivore, a meat eater, a carnivore, vegan diet, vegetarian diet, keto diet,
            ketogenic diet, low-carb diet, paleo diet, mediterranean diet
        drink: tea, coffee, green tea, black tea, water, juice, beer, wine, red wine, white wine, milk,
            cola, coke, espresso, cappuccino, latte, decaf, oat milk, whole milk, whiskey, gin, lemonade,
            sparkling water, still water
        colour: red, blue, green, yellow, black, white, orange, purple, violet, pink, brown, grey, gray,
            turquoise, beige, silver, gold, dark blue, light blue, navy
        database: postgresql, postgres, mysql, mariadb, sqlite, mongodb, oracle, cassandra, dynamodb,
            cockroachdb, sql server, couchdb, neo4j
        editor: vim, neovim, emacs, vscode, sublime text, intellij, pycharm, webstorm, nano, zed, cursor,
            atom, notepad++, helix, eclipse, visual studio
        system: linux, windows, macos, ubuntu, debian, fedora, arch, arch linux, windows 10, windows 11,
            linux mint, centos, freebsd, nixos, opensuse, red hat, alpine, android, ios, ubuntu linux,
            debian linux, mac os, pop!_os, manjaro
        browser: firefox, chrome, safari, edge, brave, opera, vivaldi, chromium
        shell: bash, zsh, fish, powershell
        cloud: aws, azure, gcp, google cloud, heroku, hetzner, digitalocean, on-premises, vercel, netlify, fly.io
        repository: github, gitlab, bitbucket, gitea
        ci: jenkins, github actions, gitlab ci, circleci, travis, travis ci, teamcity, buildkite
        messenger: whatsapp, signal, telegram, slack, discord, teams, microsoft teams
        phone: iphone, android phone, an iphone, an android phone, pixel, a pixel, samsung galaxy
        indentation: tabs, spaces
        pet: cats, dogs
        season: spring, summer, autumn, fall, winter
        day: monday, tuesday, wednesday, thursday, friday, saturday, sunday
        daytime: morning, mornings, evening, evenings, afternoon, afternoons, night, nights
        seat: window seats, aisle seats, window seat, aisle seat, a window seat, an aisle seat
        contact: email, e-mail, phone, phone calls, text, text messages, sms, calls
        travel: train, plane, car, bus, bike, bicycle, by train, by plane, by car, by bus, by bike,
            flying, driving, trains, planes, the train, the bus, the car
        mode: dark mode, light mode, dark theme, light theme
        language: python, java, rust, go, golang, c++, c, c#, ruby, php, kotlin, swift, scala, typescript,
            javascript, haskell, elixir, perl
        framework: react, vue, angular, svelte, django, flask, fastapi, rails, spring, spring boot, laravel
        package: npm, yarn, pnpm, bun, pip, poetry, uv, conda
        unit: metric, imperial, metric units, imperial units, celsius, fahrenheit, kilometers, miles
        measure: weekly, daily, monthly, yearly, annual, quarterly, biweekly, hourly
        employment: unemployed, retired, employed, jobless, out of work, self-employed, a freelancer
    household: alone, with others
    field: medicine, law, physics, chemistry, biology, mathematics, history, philosophy, psychology, economics,
        engineering, computer science, literature, architecture, sociology, geography, geology, astronomy, education,
        linguistics, journalism, nursing, dentistry, pharmacy, accounting, business, finance, marketing, theology
        hours: full-time, part-time, full time, part time
        payment: paid, unpaid, overdue
        mode of work: remote, on-site, onsite, hybrid, remotely, from home, in the office
        health: sick, healthy, ill, pregnant, in hospital
        size: small, medium, large, xs, xl, xxl
        status: active, inactive, on hold, finished, done, completed, complete, cancelled, canceled,
            delayed, on track, in progress, paused, open, closed, pending, approved, rejected, blocked,
            ongoing, planned, archived, resolved, unresolved, released, deprecated, live, in review, in
            beta, behind schedule, ahead of schedule, on schedule, over budget, under budget, stalled, at
            risk
        state: up, down, online, offline, running, stopped, broken, fixed, enabled, disabled, on, off,
            available, unavailable, locked, unlocked, full, empty, alive, dead, in stock, out of stock,
            sold out
        access: public, private, mandatory, optional, required, allowed, forbidden, prohibited, included, excluded
        hand: left-handed, right-handed
        politics: catholic, protestant, muslim, jewish, hindu, buddhist, atheist, an atheist, a catholic,
            a protestant, a muslim, agnostic
        school: a freshman, a sophomore, a junior, a senior, in first grade, in second grade, in third grade
        chronotype: an early bird, a night owl, a morning person, an evening person
        temper: an introvert, an extrovert, introverted, extroverted
        tongue: german, french, italian, spanish, british, english, irish, american, canadian, dutch,
            swedish, norwegian, danish, finnish, polish, austrian, swiss, portuguese, greek, turkish,
            russian, chinese, japanese, korean, indian, brazilian, mexican, australian, hindi, arabic,
            mandarin, cantonese, hebrew, ukrainian, czech, hungarian, romanian, thai, vietnamese, bengali,
            urdu, persian, catalan, croatian, serbian
        profession: teacher, doctor, nurse, lawyer, engineer, developer, programmer, designer, manager,
            accountant, architect, artist, musician, actor, actress, writer, author, journalist, chef,
            cook, baker, carpenter, electrician, plumber, mechanic, pilot, driver, farmer, gardener,
            scientist, researcher, professor, librarian, pharmacist, dentist, veterinarian, vet, surgeon,
            psychologist, therapist, consultant, analyst, administrator, secretary, receptionist, cashier,
            waiter, waitress, bartender, barista, police officer, firefighter, soldier, paramedic,
            translator, photographer, painter, hairdresser, barber, tailor, salesperson, salesman,
            marketer, economist, banker, broker, judge, politician, tester, technician, paralegal,
            physiotherapist, midwife, social worker, tutor, coach, trainer, curator, editor, data
            scientist, product manager, project manager, software engineer, kindergarten teacher,
            biologist, chemist, physicist, mathematician, statistician
    """
)

BROADER = table(
    """
        ubuntu, debian, fedora, arch, arch linux, linux mint, centos, nixos, opensuse, red hat, alpine,
            manjaro, pop!_os = linux
        surgeon, physician = doctor
        biologist, chemist, physicist = scientist
        painter, musician = artist
        neovim = vim
        vegan = vegetarian
        software engineer, programmer = developer
        widower, widow, divorced, unmarried = single
        released = live
    """
)

SYNONYMS = table(
    """
        kids, children, kid = child
        favorite, favourite = favourite
        color, colour, colors, colours = colour
        enjoys, enjoy, likes, is fond of, am fond of, loves, love, adores = like
        hates, hate, dislikes, dislike, loathes, detests, can not stand, does not like, do not like = dislike
        programmer, software developer, coder, software engineer = developer
        done, completed, complete, finished = finished
        canceled, cancelled = cancelled
        postgres, postgresql = postgresql
        dollars, dollar, usd = dollar
        euros, euro, eur = euro
        pounds, pound, gbp = pound
        purchased, bought = buy
        short, brief, concise = short
        prefers, prefer, would rather have, favors, favours = prefer
        wants, want, would like, wishes, desires = want
        responses, replies, answers = answer
        response, reply, answer = answer
        big, large = large
        begins, starts, begin, start = start
        ends, finishes, end = end
        lives in, resides in, is based in, is living in, live in, am based in = live in
        works for, works at, is employed by, is employed at, is working for, is working at, work for, work
            at = work for
        car, automobile = car
        bike, bicycle = bicycle
        phone, telephone = phone
        tv, television = television
        flat, apartment = flat
        movie, movies, film, films = film
        doctor, physician = doctor
        lawyer, attorney = lawyer
        boss, manager, supervisor = boss
        mom, mum, mother = mother
        dad, father = father
        often, frequently = often
        every day, daily, each day = daily
        every week, weekly, each week = weekly
        every morning, each morning, in the morning, mornings = morning
        every month, monthly, each month = monthly
        every year, yearly, annually, each year = yearly
        help, assist = help
        helps, assists = help
        smokes = smoke
        needs, requires, need, require = need
        uses, use, utilizes, is using, am using = use
        buys, purchases = buy
        talks, speaks, talk, speak = speak
        begun, started, began = started
        quick, fast, rapid = fast
        happy, glad = happy
        sick, ill = sick
    scared, frightened, afraid = afraid
    maths, math, mathematics = mathematics
        smart, intelligent, clever = smart
        has to, must, needs to, have to = must
        owns, has, have, own, possesses = has
        kitty = cat
        pup, puppy = puppy
        job, occupation = job
        photo, photos, picture, pictures = photo
        holiday, vacation = vacation
        holidays, vacations = vacation
        is planning to, plans to, intends to, am planning to, plan to, intend to = plan to
        is not able to, is unable to, can not, is incapable of = can not
        is able to, can = can
        wakes up, gets up, wake up, get up = get up
        is scheduled for, takes place on, is set for = is on
        cannot = can not
        nyc, new york city, new york = new york
        usa, united states, u.s, the united states = usa
        uk, united kingdom, the united kingdom = uk
        vscode, vs code, visual studio code = vscode
        js, javascript = javascript
        k8s, kubernetes = kubernetes
        am, are, is, 's = be
        was, were = were
        minutes, minute, min, mins = minute
        hours, hour, hrs, hr = hour
        days = day
        kilometers, kilometres, km, kilometer = kilometer
        kilograms, kg, kilos, kilo, kilogram = kilogram
        years old, years of age = year old
        shop, store = shop
        begin to, start to = start to
        wedding anniversary = anniversary
        kindergarten, nursery = kindergarten
        university, college = university
        meat-free, meatless = meatless
        spectacles, glasses = glasses
        sneakers, trainers = sneakers
        soccer, football = football
        instructor, teacher = teacher
        journey, trip = trip
    """
)
