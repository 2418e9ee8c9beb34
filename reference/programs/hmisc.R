# The answers of R's Hmisc (somers2, rcorr.cens): the AUC, weighted too, and the standard error of rcorr.cens.
suppressMessages(library(Hmisc))
here <- dirname(sub("--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "adapter.R"))

answer <- function(item, facts, data) {
  if (facts$predictions != "score" || "group" %in% colnames(data)) return(NULL)
  score <- data[[item$classifiers[1]]]
  weights <- if ("weight" %in% colnames(data)) data$weight
  if (item$quantity == "auc" && item$statistic == "value")
    return(unname(if (is.null(weights)) somers2(score, data$class)["C"] else somers2(score, data$class, weights = weights)["C"]))
  if (item$quantity == "gini" && item$statistic == "value" && is.null(weights))
    return(unname(somers2(score, data$class)["Dxy"]))
  # rcorr.cens gives the standard error of Dxy = 2 AUC - 1.
  if (item$quantity == "auc" && item$statistic == "infinitesimal_jackknife" && is.null(weights))
    return(unname((rcorr.cens(score, data$class)["S.D."] / 2)^2))
  NULL
}

run(answer)
