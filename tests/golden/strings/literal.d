BEGIN { trace("one"); trace(""); trace("with \"quotes\" and \t tabs\n"); trace("\x41\102\\"); }
