@problemName undeclared
@seriesLength 3
@classLabel true a b
@data
1,2,3:a
1,2,4:c
3,2,4,5:b
