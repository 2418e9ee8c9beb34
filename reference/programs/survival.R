# The answers of R's survival (concordance): the AUC with its infinitesimal jackknife variance, weights, clusters, and pairs.
suppressMessages(library(survival))
here <- dirname(sub("--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "adapter.R"))

answer <- function(item, facts, data) {
  if (facts$predictions != "score" || item$quantity != "auc") return(NULL)
  if (item$statistic == "unbiased_variance") return(NULL)
  formula <- reformulate(item$classifiers[1], "class")
  weights <- if ("weight" %in% colnames(data)) data$weight else rep(1, nrow(data))
  data$.weights <- weights
  cluster <- if ("group" %in% colnames(data)) data$group
  call <- function(name) {
    arguments <- list(reformulate(name, "class"), data = data, weights = data$.weights)
    if (!is.null(cluster)) arguments$cluster <- cluster
    do.call(concordance, arguments)
  }
  fits <- lapply(item$classifiers, call)
  if (item$statistic == "value") return(fits[[1]]$concordance)
  if (item$statistic == "infinitesimal_jackknife") return(as.numeric(fits[[1]]$var))
  NULL
}

run(answer)
