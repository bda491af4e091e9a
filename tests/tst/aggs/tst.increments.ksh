# An increment may lead a bucket below zero and up again: constants and variables, by both engines.
dtrace=$1
for engine in translate interpret
do
	$dtrace -qx engine=$engine -n '
	BEGIN
	{
		@live = quantize(70, -1);
		@live = quantize(70);
		@live = quantize(5);
		this->size = 300;
		this->by = -2;
		@live = quantize(this->size, this->by);
		@live = quantize(this->size, 5 - pid + pid);
		this->narrow = (char)-1;
		@linear = lquantize(this->size, 0, 1000, 100, this->narrow);
		@linear = lquantize(300, 0, 1000, 100);
		@linear = lquantize(500, 0, 1000, 100, 1 << 40);
		@log = llquantize(this->size, 10, 0, 3, 10, this->by);
		@log = llquantize(300, 10, 0, 3, 10, 3);
		@count = count(); @sum = sum(this->by); @min = min(this->by); @max = max(this->narrow);
		@avg = avg(this->by); @sum = sum(1);
		exit(0);
	}'
done
