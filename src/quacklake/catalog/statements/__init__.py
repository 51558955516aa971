"""Every statement the catalog is sent, built here and nowhere else."""
