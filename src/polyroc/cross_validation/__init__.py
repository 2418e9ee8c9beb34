"""Cross-validation of scikit-learn estimators: out-of-fold predictions with their folds, leave-one-pair-out."""
