#pragma D option zdefs
nosuch:::probe { trace(1); }
