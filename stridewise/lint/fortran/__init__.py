"""Units of Fortran: what they need of each other, and flang, which reads them."""
