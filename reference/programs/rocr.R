# The answers of R's ROCR: values of the AUC and of partial areas up to a false positive rate.
suppressMessages(library(ROCR))
here <- dirname(sub("--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "adapter.R"))

answer <- function(item, facts, data) {
  plain <- !any(c("weight", "group") %in% colnames(data))
  if (!plain || facts$predictions != "score" || item$statistic != "value" || length(item$classifiers) > 1) return(NULL)
  pairs <- prediction(data[[item$classifiers]], data$class)
  if (item$quantity == "auc") return(performance(pairs, "auc")@y.values[[1]])
  if (item$quantity == "partial_auc") {
    to <- eval(parse(text = item$options$fpr_to))
    return(performance(pairs, "auc", fpr.stop = to)@y.values[[1]])
  }
  NULL
}

run(answer)
