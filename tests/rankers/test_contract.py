from contract import Contract, Personal


class TestLDM(Personal):
    name = "ldm"


class TestLDMOnDemand(Personal):
    name = "ldm"
    settings = {"keep": "no"}  # noqa: RUF012


class TestLDMPaper(Contract):
    name = "ldm-paper"


class TestLDMOnUsers(Contract):
    name = "ldm"
    settings = {"nodes": "users", "neighbors": 8}  # noqa: RUF012


class TestLDMOnUsersOnDemand(Contract):
    name = "ldm"
    settings = {"nodes": "users", "neighbors": 8, "keep": "no", "item_prior": "zero"}  # noqa: RUF012


class TestLDMBregman(Contract):
    name = "ldm"
    settings = {"mu": 0.5, "inner": 3, "symmetric": False}  # noqa: RUF012


class TestLDMReestimated(Contract):
    name = "ldm"
    settings = {"outer": 3, "neighbors": 8}  # noqa: RUF012


class TestLDMHard(Contract):
    name = "ldm"
    settings = {"hard": True}  # noqa: RUF012


class TestBias(Contract):
    name = "bias"


class TestItemMean(Contract):
    name = "item-mean"


class TestPopularity(Contract):
    name = "popularity"


class TestRandom(Contract):
    name = "random"
    settings = {"seed": 5}  # noqa: RUF012


class TestAltSVM(Personal):
    name = "altsvm"
    settings = {"l2": 1.0}  # noqa: RUF012


class TestAltSVMOfTheAuthors(Contract):
    name = "altsvm"


class TestBiasedMF(Personal):
    name = "biased-mf"
    settings = {"l2": 0.5}  # noqa: RUF012


class TestItemKNN(Personal):
    name = "item-knn"


class TestUserKNN(Personal):
    name = "user-knn"
    settings = {"neighbors": 8}  # noqa: RUF012


class TestBiasedMFTuned(Contract):
    name = "biased-mf-tuned"
    settings = {"splits": 1}  # noqa: RUF012
