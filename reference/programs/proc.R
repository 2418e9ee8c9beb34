# The answers of R's pROC: the AUC with DeLong's variance, covariance and test, partial areas, Hand & Till's M.
suppressMessages(library(pROC))
here <- dirname(sub("--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "adapter.R"))

score_roc <- function(data, name) roc(data$class, data[[name]], levels = c(0, 1), direction = "<", quiet = TRUE)

answer <- function(item, facts, data) {
  names <- item$classifiers
  weighted <- any(c("weight", "group") %in% colnames(data))
  if (weighted || facts$predictions == "ordered") return(NULL)
  if (facts$predictions == "columns") {
    if (item$quantity != "hand_till" || item$statistic != "value") return(NULL)
    columns <- data[, paste(names, seq_len(facts$classes) - 1, sep = "_")]
    colnames(columns) <- seq_len(facts$classes) - 1
    return(as.numeric(multiclass.roc(factor(data$class), as.matrix(columns), quiet = TRUE)$auc))
  }
  curves <- lapply(names, function(name) score_roc(data, name))
  first <- curves[[1]]
  if (item$quantity == "auc") return(switch(item$statistic,
    value = as.numeric(auc(first)),
    variance = var(first, method = "delong"),
    covariance = cov(first, curves[[2]], method = "delong"),
    z = unname(roc.test(first, curves[[2]], method = "delong")$statistic),
    p_value = roc.test(first, curves[[2]], method = "delong")$p.value))
  if (item$quantity == "partial_auc" && item$statistic == "value") {
    to <- eval(parse(text = item$options$fpr_to))
    return(as.numeric(auc(first, partial.auc = c(1 - to, 1))))
  }
  NULL
}

run(answer)
