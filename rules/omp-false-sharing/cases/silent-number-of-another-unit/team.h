int own_number(void);
