# What the R programs share: read the sets, ask a function for every item, print `set,item,answer` lines.
library(jsonlite)

run <- function(answer) {
  folder <- tail(commandArgs(trailingOnly = TRUE), 1)
  for (path in sort(list.files(folder, "json$", full.names = TRUE))) {
    facts <- fromJSON(path, simplifyVector = FALSE)
    if (isTRUE(facts$recipe) || facts$predictions == "values") next
    data <- read.csv(file.path(folder, paste0(facts$name, ".csv")))
    for (number in seq_along(facts$items)) {
      item <- facts$items[[number]]
      item$classifiers <- unlist(item$classifiers)
      value <- tryCatch(suppressWarnings(answer(item, facts, data)), error = function(problem)
        paste("error:", gsub(",", ";", gsub("\\s+", " ", conditionMessage(problem)))))
      if (is.null(value)) next
      text <- if (is.character(value)) value else sprintf("%.17g", value)
      cat(facts$name, ",", number - 1, ",", text, "\n", sep = "")
    }
  }
}
