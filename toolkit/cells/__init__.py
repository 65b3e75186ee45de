"""What the cells of a spreadsheet or a CSV file are to those who see them, whoever reads the file."""
