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


class TestRankSVD(Contract):
    name = "ranksvd"


class TestRankSVDOfHinges(Personal):
    name = "ranksvd"
    settings = {"loss": "hinge_mult", "rate": 250.0, "rounds": 300, "hold": 0.0, "start": 2.0}  # noqa: RUF012


class TestLCR(Contract):
    name = "lcr"
    settings = {"rounds": 20}  # noqa: RUF012


class TestLCRThatLearnsLong(Personal):
    name = "lcr"
    settings = {"loss": "log_mult", "rate": 60.0, "rounds": 200, "hold": 0.0, "width": 1.5, "models": 2}  # noqa: RUF012


class TestBayesian(Personal):
    name = "bayesian"
    settings = {"sweeps": 80, "burn": 20, "rank": 4}  # noqa: RUF012
